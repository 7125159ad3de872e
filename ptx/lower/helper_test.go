package lower_test

import "gpusim/device"

var noUninit = device.Options{NoUninit: true}
