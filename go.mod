module gpusim

go 1.26
