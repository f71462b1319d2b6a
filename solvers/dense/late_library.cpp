#include "solvers/dense/late_library.h"

#include <dlfcn.h>

#include "core/base/error.h"

namespace tl {

void* LateLibrary::function(const char* name) const {
    std::scoped_lock lock(mutex_);
    if (!handle_) open();
    if (void* found = dlsym(handle_, name)) return found;
    throw UserError(std::string(title_) + ": " + file_ + " has no function " + name +
                    "; install a newer one");
}

void LateLibrary::open() const {
    if (hooks_.before_opening) hooks_.before_opening();
    constexpr int kMode = RTLD_NOW | RTLD_LOCAL;
    handle_ = dlopen(file_, kMode);
    if (!handle_) {
        std::string reason = dlerror();
        handle_ = dlopen((std::string(folder_) + "/" + file_).c_str(), kMode);
        if (!handle_)
            throw UserError(std::string(title_) + " cannot be opened (" + reason + "); install " +
                            install_ + ", or choose a solver that does not need it");
    }
    if (hooks_.after_opening) hooks_.after_opening(handle_);
}

}  // namespace tl
