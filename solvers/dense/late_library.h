// Shared libraries that are opened when the first of their functions is called, so that a program
// that calls none starts without them: linked in the usual way, NVIDIA's cuBLAS and cuSOLVER add a
// tenth of a second and 200 MB to every start.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace tl {

/// One shared library, such as "libcublas.so.13".
class LateLibrary {
  public:
    /// `title` is its name in messages. Both texts must live as long as the library.
    constexpr LateLibrary(const char* title, const char* file) : title_(title), file_(file) {}

    /// The address of a function. Opens the library: as the loader finds it, else from the folder
    /// of the toolkit that the program was compiled with. Throws UserError where there is none, or
    /// none with this function. Any thread may call it.
    [[nodiscard]] void* function(const char* name) const;

  private:
    const char *title_, *file_;
    mutable std::mutex mutex_;
    mutable void* handle_ = nullptr;
};

template <class Signature>
class LateFunction;

/// A function of a LateLibrary, called like any other. The first call looks it up and may throw
/// what LateLibrary does.
template <class Result, class... Arguments>
class LateFunction<Result(Arguments...)> {
  public:
    constexpr LateFunction(const LateLibrary& library, const char* name)
        : library_(library), name_(name) {}

    Result operator()(Arguments... arguments) const {
        auto* function = function_.load(std::memory_order_acquire);
        if (!function) {
            function = reinterpret_cast<Result (*)(Arguments...)>(library_.function(name_));
            function_.store(function, std::memory_order_release);
        }
        return function(arguments...);
    }

  private:
    const LateLibrary& library_;
    const char* name_;
    mutable std::atomic<Result (*)(Arguments...)> function_ = nullptr;
};

}  // namespace tl
