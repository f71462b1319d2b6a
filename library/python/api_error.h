// Errors of the C interface on their way to Python.
#pragma once

#include <string>

#include "library/api/treelight.h"

struct ApiError {
    tl_status status;
    std::string message;
};

inline void check(tl_status status) {
    if (status != TL_OK) throw ApiError{status, tl_last_error()};
}
