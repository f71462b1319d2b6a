#include "solvers/dense/late_library.h"

#include <dlfcn.h>

#include "accel/parallel/error.h"

namespace tl {

void* LateLibrary::function(const char* name) const {
    std::scoped_lock lock(mutex_);
    if (!handle_) handle_ = dlopen(file_, RTLD_NOW | RTLD_LOCAL);
    if (!handle_) {
        std::string reason = dlerror();
        handle_ = dlopen((std::string(TL_CUDA_LIBRARY_FOLDER "/") + file_).c_str(),
                         RTLD_NOW | RTLD_LOCAL);
        if (!handle_)
            throw UserError(
                std::string(title_) + " cannot be opened (" + reason +
                "); install CUDA's libraries, or choose a solver that needs none of them");
    }
    if (void* found = dlsym(handle_, name)) return found;
    throw UserError(std::string(title_) + ": " + file_ + " has no function " + name +
                    "; install a newer one");
}

}  // namespace tl
