// A desktop window, created with GLFW.
#pragma once

#include "app/viewer/window/gl_context.h"

struct GLFWwindow;

namespace tl {

class GlfwContext final : public GlContext {
  public:
    struct Config {
        Extent size{1280, 720};  ///< requested framebuffer pixels; less on a smaller monitor
        std::string title = "Treelight";
        bool vsync = true;
        bool fullscreen = false;
    };
    /// Throws UserError if no window can be created.
    explicit GlfwContext(const Config& config);
    ~GlfwContext() override;
    GlfwContext(const GlfwContext&) = delete;
    GlfwContext& operator=(const GlfwContext&) = delete;

    /// Content scale of the primary monitor, for planning a window; 1 if unknown.
    [[nodiscard]] static float monitor_scale();

    Extent size() const override;
    void resize(Extent size) override;
    float content_scale() const override;
    bool minimised() const override;
    std::string name() const override { return "window"; }
    void poll_events() override;
    void wait_events(double seconds) override;
    void wake() override;
    void swap() override;
    [[nodiscard]] double refresh_seconds() const override;
    [[nodiscard]] double display_seconds() const override;
    bool should_close() const override;
    void request_close() override;
    void stay_open() override;
    void hide() override;
    void set_title(const std::string& title) override;
    void set_fullscreen(bool on) override;
    bool fullscreen() const override;
    void set_clipboard(const std::string& text) override;
    std::string clipboard() const override;

  private:
    void install_callbacks();
    [[nodiscard]] vec2 pixels_per_unit() const;

    GLFWwindow* window_ = nullptr;
    bool vsync_ = true;
    int windowed_[4] = {0, 0, 0, 0};  // position and size to restore after fullscreen
};

}  // namespace tl
