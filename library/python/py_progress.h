// Progress of a call of the C interface, reported to a Python function.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>

#include "library/python/api_error.h"

/// Progress callback: a Python function, or None. An exception that it throws, or Ctrl+C, cancels
/// the call.
class PyProgress {
  public:
    explicit PyProgress(const pybind11::object& function) : function_(function) {}

    static int tell(void* self, const char* what, double share) {
        return static_cast<PyProgress*>(self)->tell(what, share);
    }
    /// Checks the status of the call that reported to this callback. Rethrows the callback's
    /// exception.
    void check_call(tl_status status) const {
        if (thrown_) std::rethrow_exception(thrown_);
        check(status);
    }

  private:
    int tell(const char* what, double share) {
        pybind11::gil_scoped_acquire lock;
        try {
            if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
            return !function_.is_none() && pybind11::bool_(function_(what, share)) ? 1 : 0;
        } catch (...) {
            thrown_ = std::current_exception();
            return 1;
        }
    }

    const pybind11::object& function_;
    std::exception_ptr thrown_;
};
