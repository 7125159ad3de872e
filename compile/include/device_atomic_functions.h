// Included before every source already.
#pragma once
#include "gpusim/runtime.h"
