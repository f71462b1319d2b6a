#include "app/viewer/window/glfw_context.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>

#include "app/viewer/window/gl_setup.h"
#include "core/base/error.h"

namespace tl {
namespace {

static_assert(int(Key::f12) == GLFW_KEY_F12 && int(Key::end) == GLFW_KEY_END);
static_assert(int(Key::keypad_enter) == GLFW_KEY_KP_ENTER && int(Key::z) == GLFW_KEY_Z);
static_assert(int(MouseButton::middle) == GLFW_MOUSE_BUTTON_MIDDLE);

std::string last_glfw_error() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text ? text : "no reason given";
}

void init_glfw() {
    if (!glfwInit())
        throw UserError("no window can be opened (" + last_glfw_error() +
                        "): use --offscreen, or `treelight render` for a picture");
}

Modifiers modifiers_of(int mods) {
    return {(mods & GLFW_MOD_SHIFT) != 0, (mods & GLFW_MOD_CONTROL) != 0,
            (mods & GLFW_MOD_ALT) != 0};
}

/// Modifiers after a key event, computed because X11 reports those before it.
Modifiers modifiers_after(int key, int action, int mods) {
    Modifiers m = modifiers_of(mods);
    bool down = action != GLFW_RELEASE;
    if (key == GLFW_KEY_LEFT_SHIFT || key == GLFW_KEY_RIGHT_SHIFT) m.shift = down;
    if (key == GLFW_KEY_LEFT_CONTROL || key == GLFW_KEY_RIGHT_CONTROL) m.control = down;
    if (key == GLFW_KEY_LEFT_ALT || key == GLFW_KEY_RIGHT_ALT) m.alt = down;
    return m;
}

/// The key by its symbol in the user's keyboard layout, if that is a letter.
Key symbol_of(int key, int scancode) {
    if (key < GLFW_KEY_SPACE || key > GLFW_KEY_GRAVE_ACCENT) return static_cast<Key>(key);
    // Digits are identified by position: some keyboards print other symbols on them.
    if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) return static_cast<Key>(key);
    const char* name = glfwGetKeyName(key, scancode);
    if (!name || !name[0] || name[1]) return static_cast<Key>(key);
    return static_cast<Key>(name[0] >= 'a' && name[0] <= 'z' ? name[0] - 'a' + 'A' : name[0]);
}

}  // namespace

float GlfwContext::monitor_scale() {
    init_glfw();
    float x = 1, y = 1;
    if (auto* monitor = glfwGetPrimaryMonitor()) glfwGetMonitorContentScale(monitor, &x, &y);
    return x > 0 ? x : 1;
}

GlfwContext::GlfwContext(const Config& config) {
    init_glfw();
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
#if !defined(NDEBUG)
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
#endif
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "treelight");

    // No larger than the monitor's free area.
    Extent wanted = config.size;
    if (auto* monitor = glfwGetPrimaryMonitor()) {
        int x = 0, y = 0, width = 0, height = 0;
        glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
        if (width > 0) wanted.width = std::min(wanted.width, width);
        if (height > 0) wanted.height = std::min(wanted.height, height);
    }
    window_ = glfwCreateWindow(std::max(wanted.width, 1), std::max(wanted.height, 1),
                               config.title.c_str(), nullptr, nullptr);
    if (!window_) {
        std::string reason = last_glfw_error();
        glfwTerminate();
        throw UserError("no window with OpenGL 4.5 can be opened (" + reason +
                        "): update the graphics driver, use --offscreen, or `treelight render`");
    }
    glfwSetWindowUserPointer(window_, this);
    glfwMakeContextCurrent(window_);
    load_gl(glfwGetProcAddress);
    vsync_ = config.vsync;
    glfwSwapInterval(vsync_ ? 1 : 0);
    install_callbacks();
    if (config.fullscreen) set_fullscreen(true);
}

GlfwContext::~GlfwContext() {
    glfwDestroyWindow(window_);
    glfwTerminate();
}

void GlfwContext::install_callbacks() {
    static constexpr auto self = [](GLFWwindow* window) -> GlfwContext& {
        return *static_cast<GlfwContext*>(glfwGetWindowUserPointer(window));
    };
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
        self(w).events_.push_back(KeyEvent{static_cast<Key>(key), symbol_of(key, scancode),
                                           action != GLFW_RELEASE, action == GLFW_REPEAT,
                                           modifiers_after(key, action, mods)});
    });
    glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned character) {
        self(w).events_.push_back(TextEvent{static_cast<char32_t>(character)});
    });
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) {
        vec2 position = vec2(static_cast<float>(x), static_cast<float>(y));
        self(w).events_.push_back(CursorEvent{position * self(w).pixels_per_unit()});
    });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int mods) {
        if (button > GLFW_MOUSE_BUTTON_MIDDLE) return;
        self(w).events_.push_back(ButtonEvent{static_cast<MouseButton>(button),
                                              action == GLFW_PRESS, modifiers_of(mods)});
    });
    glfwSetScrollCallback(window_, [](GLFWwindow* w, double x, double y) {
        self(w).events_.push_back(ScrollEvent{vec2(static_cast<float>(x), static_cast<float>(y))});
    });
    glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
        self(w).events_.push_back(DropEvent{{paths, paths + count}});
    });
    glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int focused) {
        self(w).events_.push_back(FocusEvent{focused != 0});
    });
}

vec2 GlfwContext::pixels_per_unit() const {
    int width = 0, height = 0;
    glfwGetWindowSize(window_, &width, &height);
    Extent pixels = size();
    if (width <= 0 || height <= 0) return vec2(1);
    return vec2(static_cast<float>(pixels.width) / static_cast<float>(width),
                static_cast<float>(pixels.height) / static_cast<float>(height));
}

Extent GlfwContext::size() const {
    Extent extent;
    glfwGetFramebufferSize(window_, &extent.width, &extent.height);
    return extent;
}

void GlfwContext::resize(Extent size) {
    vec2 units = vec2(size.width, size.height) / pixels_per_unit();
    glfwSetWindowSize(window_, std::max(static_cast<int>(units.x), 1),
                      std::max(static_cast<int>(units.y), 1));
}

float GlfwContext::content_scale() const {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return x > 0 ? x : 1;
}

bool GlfwContext::minimised() const {
    return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) != 0;
}
void GlfwContext::poll_events() {
    glfwPollEvents();
}
void GlfwContext::wait_events(double seconds) {
    glfwWaitEventsTimeout(seconds);
}
void GlfwContext::wake() {
    glfwPostEmptyEvent();
}
void GlfwContext::swap() {
    glfwSwapBuffers(window_);
}
double GlfwContext::refresh_seconds() const {
    return vsync_ ? 0 : display_seconds();
}
double GlfwContext::display_seconds() const {
    constexpr int kUsualRate = 60;  // Hz, if the display does not report it
    auto* monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    return 1.0 / (mode && mode->refreshRate > 0 ? mode->refreshRate : kUsualRate);
}
bool GlfwContext::should_close() const {
    return glfwWindowShouldClose(window_) != 0;
}
void GlfwContext::request_close() {
    glfwSetWindowShouldClose(window_, GLFW_TRUE);
}
void GlfwContext::stay_open() {
    glfwSetWindowShouldClose(window_, GLFW_FALSE);
}
void GlfwContext::hide() {
    glfwHideWindow(window_);
}
void GlfwContext::set_title(const std::string& title) {
    glfwSetWindowTitle(window_, title.c_str());
}

void GlfwContext::set_fullscreen(bool on) {
    if (on == fullscreen()) return;
    if (!on) {
        glfwSetWindowMonitor(window_, nullptr, windowed_[0], windowed_[1], windowed_[2],
                             windowed_[3], GLFW_DONT_CARE);
        return;
    }
    auto* monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    if (!mode) return;
    glfwGetWindowPos(window_, &windowed_[0], &windowed_[1]);
    glfwGetWindowSize(window_, &windowed_[2], &windowed_[3]);
    glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

bool GlfwContext::fullscreen() const {
    return glfwGetWindowMonitor(window_) != nullptr;
}

void GlfwContext::set_clipboard(const std::string& text) {
    glfwSetClipboardString(window_, text.c_str());
}

std::string GlfwContext::clipboard() const {
    const char* text = glfwGetClipboardString(window_);
    return text ? text : "";
}

}  // namespace tl
