#include "app/viewer/window/egl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <glad/gl.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "app/jobs/format.h"
#include "app/viewer/window/gl_setup.h"
#include "core/base/error.h"

#if !defined(EGL_CUDA_DEVICE_NV)
#define EGL_CUDA_DEVICE_NV 0x323A
#endif

namespace tl {

struct EglContext::Candidate {
    EGLDeviceEXT device = nullptr;  // null: Mesa without a surface
    std::string name;
    int rank = 0;  // smaller ranks are tried first
};

namespace {

template <class F>
F egl_function(const char* name) {
    return reinterpret_cast<F>(eglGetProcAddress(name));
}

bool has_extension(const char* list, const char* name) {
    return list && std::strstr(list, name) != nullptr;
}

/// The display of a device, or Mesa's surfaceless one.
EGLDisplay open_display(EGLDeviceEXT device) {
    auto get = egl_function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    if (!get) return EGL_NO_DISPLAY;
    return device ? get(EGL_PLATFORM_DEVICE_EXT, device, nullptr)
                  : get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
}

std::string egl_error() {
    return formatted("EGL error 0x%x", static_cast<unsigned>(eglGetError()));
}

std::vector<EGLDeviceEXT> query_devices() {
    auto query = egl_function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
    EGLDeviceEXT list[32];
    EGLint count = 0;
    if (!query || !query(32, list, &count)) return {};
    return {list, list + count};
}

}  // namespace

EglContext::EglContext(Extent size, double refresh_seconds) : refresh_seconds_(refresh_seconds) {
    auto text = egl_function<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
    auto attribute = egl_function<PFNEGLQUERYDEVICEATTRIBEXTPROC>("eglQueryDeviceAttribEXT");

    // CUDA's first GPU, other GPUs, software devices, and Mesa without a surface.
    std::vector<Candidate> candidates;
    for (auto device : query_devices()) {
        const char* extensions = text ? text(device, EGL_EXTENSIONS) : nullptr;
        EGLAttrib cuda = -1;
        if (has_extension(extensions, "EGL_NV_device_cuda") && attribute &&
            attribute(device, EGL_CUDA_DEVICE_NV, &cuda))
            candidates.push_back(
                {device, "EGL device of CUDA GPU " + std::to_string(cuda), static_cast<int>(cuda)});
        else if (has_extension(extensions, "EGL_MESA_device_software"))
            candidates.push_back({device, "EGL software device", 2000});
        else
            candidates.push_back({device, "EGL device", 1000});
    }
    candidates.push_back({nullptr, "EGL without a surface", 3000});
    std::ranges::stable_sort(candidates, {}, &Candidate::rank);

    std::string reasons;
    for (auto& candidate : candidates) {
        std::string reason;
        if (open(candidate, reason)) {
            name_ = candidate.name;
            break;
        }
        reasons += (reasons.empty() ? "" : "; ") + candidate.name + ": " + reason;
    }
    if (!context_)
        throw UserError("--offscreen finds no OpenGL 4.5 through EGL (" + reasons +
                        "): install a GPU driver or libegl-mesa0, or use `treelight render`");
    resize(size);
}

bool EglContext::open(const Candidate& candidate, std::string& reason) {
    EGLDisplay display = open_display(candidate.device);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) {
        reason = egl_error();
        return false;
    }
    const EGLint config_attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0,
                                        EGL_NONE};
    const EGLint context_attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION,
        4,
        EGL_CONTEXT_MINOR_VERSION,
        5,
        EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
#if !defined(NDEBUG)
        EGL_CONTEXT_OPENGL_DEBUG,
        EGL_TRUE,
#endif
        EGL_NONE
    };
    EGLConfig config = nullptr;
    EGLint n_configs = 0;
    EGLContext context = EGL_NO_CONTEXT;
    bool ok = eglBindAPI(EGL_OPENGL_API) &&
              eglChooseConfig(display, config_attributes, &config, 1, &n_configs) &&
              n_configs > 0 &&
              (context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_attributes)) &&
              eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
    if (!ok) {
        reason = egl_error();
    } else {
        try {
            load_gl(eglGetProcAddress);
        } catch (const UserError& error) {
            ok = false;
            reason = error.what();
        }
    }
    if (!ok) {
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (context) eglDestroyContext(display, context);
        eglTerminate(display);
        return false;
    }
    display_ = display;
    context_ = context;
    return true;
}

EglContext::~EglContext() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_);
    delete_framebuffer();
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    eglTerminate(display_);
}

void EglContext::delete_framebuffer() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &color_);
    framebuffer_ = color_ = 0;
}

void EglContext::resize(Extent size) {
    delete_framebuffer();
    size_ = size;
    if (size.width <= 0 || size.height <= 0) return;
    glCreateTextures(GL_TEXTURE_2D, 1, &color_);
    glTextureStorage2D(color_, 1, GL_RGBA8, size.width, size.height);
    glCreateFramebuffers(1, &framebuffer_);
    glNamedFramebufferTexture(framebuffer_, GL_COLOR_ATTACHMENT0, color_, 0);
    if (glCheckNamedFramebufferStatus(framebuffer_, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        throw UserError("no framebuffer of " + std::to_string(size.width) + "x" +
                        std::to_string(size.height) +
                        " pixels can be made: ask for a smaller --size");
}

void EglContext::wait_events(double seconds) {
    if (!events_.empty() || close_) return;
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return awake_; });
    awake_ = false;
}

void EglContext::wake() {
    {
        std::scoped_lock lock(mutex_);
        awake_ = true;
    }
    woken_.notify_one();
}

void EglContext::swap() {
    glFlush();
}

}  // namespace tl
