#include "app/viewer/window/gl_setup.h"

#include <glad/gl.h>

#include "core/base/console.h"
#include "core/base/error.h"

namespace tl {
namespace {

#if !defined(NDEBUG)
void GLAD_API_PTR print_gl_message(GLenum, GLenum type, GLuint, GLenum severity, GLsizei,
                                   const GLchar* text, const void*) {
    if (severity == GL_DEBUG_SEVERITY_NOTIFICATION || type == GL_DEBUG_TYPE_PERFORMANCE) return;
    print_warning(std::string("GL: ") + text);
}
#endif

std::string gl_text(GLenum what) {
    auto* text = reinterpret_cast<const char*>(glGetString(what));
    return text ? text : "unknown";
}

}  // namespace

void load_gl(void (*(*loader)(const char*))()) {
    int version = gladLoadGL(loader);
    if (GLAD_VERSION_MAJOR(version) * 10 + GLAD_VERSION_MINOR(version) < 45)
        throw UserError("the viewer needs OpenGL 4.5, this driver gives " +
                        (version ? gl_text(GL_VERSION) : std::string("no context")) +
                        ": update the graphics driver, or use `treelight render`");
#if !defined(NDEBUG)
    if (glDebugMessageCallback) {
        glEnable(GL_DEBUG_OUTPUT);
        glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
        glDebugMessageCallback(print_gl_message, nullptr);
    }
#endif
}

GlNames gl_names() {
    return {gl_text(GL_RENDERER), gl_text(GL_VERSION)};
}

}  // namespace tl
