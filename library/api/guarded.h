// What all functions of the C interface do: each catches what is thrown and remembers it as the
// error of its thread, and trusts no enumerator.
#pragma once

#include <cstring>
#include <new>
#include <string>

#include "accel/parallel/error.h"
#include "library/api/treelight.h"

namespace tl {

/// The caller has asked for the end of the call.
class CallCancelled : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "cancelled by the caller"; }
};

inline std::string& last_error() {
    thread_local std::string error;
    return error;
}

inline tl_status fail(tl_status status, const std::string& message) {
    last_error() = message;
    return status;
}

/// The status that `work` returns, or that of what it throws. `of_user_error`: that of a UserError
/// of no kind of its own.
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

/// An argument from C, where any int may stand for an enumerator, as the int that it is: C++ must
/// not load what is outside an enumeration's range as one.
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
