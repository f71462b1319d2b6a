// Shared libraries that are opened when the first of their functions is called, so that a program
// that calls none starts without them: linked in the usual way, NVIDIA's cuBLAS and cuSOLVER add a
// tenth of a second and 200 MB to every start.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

namespace tl {

/// One shared library, such as "libcublas.so.13".
class LateLibrary {
  public:
    /// Called with the library locked, the first before it is opened; null: nothing. The first may
    /// throw, and is called again the next time.
    struct Hooks {
        void (*before_opening)() = nullptr;
        void (*after_opening)(void* handle) = nullptr;
    };
    /// `title`: its name in messages. `folder`: searched if the loader does not find the library.
    /// `install`: what to install. All texts must live as long as the library.
    constexpr LateLibrary(const char* title, const char* file, const char* folder,
                          const char* install, Hooks hooks = {nullptr, nullptr})
        : title_(title), file_(file), folder_(folder), install_(install), hooks_(hooks) {}

    /// The address of a function. Opens the library. Throws UserError where there is none, or none
    /// with this function. Any thread may call it.
    [[nodiscard]] void* function(const char* name) const;
    /// Calls `change` with the library's handle, null if it is not open, while no thread opens it.
    void with_handle(const std::function<void(void*)>& change) const {
        std::scoped_lock lock(mutex_);
        change(handle_);
    }

  private:
    void open() const;

    const char *title_, *file_, *folder_, *install_;
    Hooks hooks_;
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
