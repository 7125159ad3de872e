// Asynchronous copies: primitives and the class of the same purpose.
#pragma once
#include "cuda_pipeline_primitives.h"
#include "cuda/pipeline"
