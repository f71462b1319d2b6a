// Error policy: a bug aborts and prints both values; a fault of the user or the machine is an
// exception that says what, where and what to do; an expected outcome is a return value.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

namespace tl {

/// A fault of the input or the machine (file, flag, memory, driver), described in one line. Shown
/// in the viewer's panel or on stderr; the command line then exits with 1.
class UserError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A wrong flag or value on the command line, which then exits with 2.
class UsageError : public UserError {
  public:
    using UserError::UserError;
};

/// A device that has not enough memory left.
class OutOfMemory : public UserError {
  public:
    using UserError::UserError;
};

/// The error in words: its what(), except for std::bad_alloc, whose what() is only its name.
[[nodiscard]] inline std::string message_of(const std::exception& error) {
    bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    return no_memory ? "not enough memory: ask for less, or close other programs" : error.what();
}

}  // namespace tl

/// Asserts a condition that only a bug can break: prints the expression and both values, then
/// aborts. Compiled out of kernels and of release builds (NDEBUG).
#if defined(NDEBUG) || defined(__CUDA_ARCH__)
#define TL_ASSERT_OP(a, op, b) ((void)0)
#else
#include <iostream>

namespace tl {

template <class A, class B>
[[noreturn]] void assertion_failed(const char* file, int line, const char* text, const A& a,
                                   const B& b) {
    std::cerr << file << ":" << line << ": assertion " << text << " failed: " << a << " against "
              << b << std::endl;
    std::abort();
}

}  // namespace tl

#define TL_ASSERT_OP(a, op, b)                                                                    \
    do {                                                                                          \
        if (!((a)op(b))) ::tl::assertion_failed(__FILE__, __LINE__, #a " " #op " " #b, (a), (b)); \
    } while (0)
#endif
