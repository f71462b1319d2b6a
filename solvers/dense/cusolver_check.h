// Errors of cuSOLVER's functions.
#pragma once

#include <string>

#include "core/base/error.h"
#include "solvers/dense/cuda_libraries.h"

namespace tl {

/// Throws UserError if the function `call` failed.
inline void check_cusolver(cusolverStatus_t status, const char* call) {
    if (status != CUSOLVER_STATUS_SUCCESS)
        throw UserError(std::string("cuSOLVER: ") + call + " failed with status " +
                        std::to_string(static_cast<int>(status)));
}

}  // namespace tl
