// Barriers in shared memory.
#pragma once
#include "cuda_pipeline_primitives.h"
