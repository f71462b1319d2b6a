// Error handling of the C interface. Every function catches what is thrown and stores it as the
// error of its thread. Enumerators from callers are range-checked.
#pragma once

#include <cstring>
#include <new>
#include <string>

#include "core/base/error.h"
#include "library/api/treelight.h"

namespace tl {

/// The caller has cancelled the call.
class CallCancelled : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "cancelled by the caller"; }
};

/// Reports progress to the caller's callback. Throws CallCancelled if the callback requests
/// cancellation.
struct ProgressCallback {
    tl_progress progress;
    void* context;

    void operator()(const char* what, double share) const {
        if (progress && progress(context, what, share) != 0) throw CallCancelled();
    }
};

inline std::string& last_error() {
    thread_local std::string error;
    return error;
}

inline tl_status fail(tl_status status, const std::string& message) {
    last_error() = message;
    return status;
}

/// Returns the status of `work`, or the one for the exception that it throws. `of_user_error`: the
/// status for a UserError that is of no derived class.
template <class Work>
tl_status guarded(Work work, tl_status of_user_error = TL_FAILED) noexcept {
    try {
        return work();
    } catch (const OutOfMemory& error) {
        return fail(TL_NO_MEMORY, error.what());
    } catch (const std::bad_alloc& error) {
        return fail(TL_NO_MEMORY, message_of(error));
    } catch (const CallCancelled& error) {
        return fail(TL_CANCELLED, error.what());
    } catch (const UsageError& error) {
        return fail(TL_UNKNOWN, error.what());
    } catch (const UserError& error) {
        return fail(of_user_error, error.what());
    } catch (const std::exception& error) {
        return fail(TL_FAILED, error.what());
    }
}

/// Reads an enumerator from C as an int. A C caller may pass any int, and C++ must not load a value
/// outside an enumeration's range as that enumeration.
template <class Enum>
int number_of(const Enum& argument) {
    static_assert(sizeof(Enum) == sizeof(int));
    int number;
    std::memcpy(&number, &argument, sizeof number);
    return number;
}

template <class Enum>
bool is_within(const Enum& argument, Enum first, Enum last) {
    auto number = number_of(argument);
    return number >= first && number <= last;
}

}  // namespace tl
