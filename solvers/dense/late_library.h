// Shared libraries that are opened when the first of their functions is called. Programs that call
// none start without them: linked in the usual way, NVIDIA's cuBLAS and cuSOLVER add a tenth of a
// second and 200 MB to every start.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

namespace tl {

/// One shared library, such as "libcublas.so.13".
class LateLibrary {
  public:
    /// Callbacks around the opening, called while the library is locked; null ones are skipped.
    struct Hooks {
        /// Called before each attempt to open the library. An exception from it ends the attempt.
        void (*before_opening)() = nullptr;
        /// Called once, when the library has been opened.
        void (*after_opening)(void* handle) = nullptr;
    };
    /// `title`: name in messages. `file`: name for the loader. `folder`: searched if the loader
    /// does not find the file. `install`: package that messages advise to install. All texts must
    /// live as long as this object.
    constexpr LateLibrary(const char* title, const char* file, const char* folder,
                          const char* install, Hooks hooks = {nullptr, nullptr})
        : title_(title), file_(file), folder_(folder), install_(install), hooks_(hooks) {}

    /// The address of a function. Opens the library if it is not open. Throws UserError if it
    /// cannot be opened or does not have the function. Any thread may call it.
    [[nodiscard]] void* function(const char* name) const;
    /// Calls `change` with the library's handle, null if it is not open. The library is locked
    /// meanwhile, so `change` must not call function().
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

/// A function of a LateLibrary, called like any other. Each call until the first that succeeds may
/// throw what LateLibrary::function() throws.
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
