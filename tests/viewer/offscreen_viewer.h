// Test fixture: a viewer of the Cornell box on an EGL context, which tests control by pushing
// events.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "app/program.h"
#include "app/viewer/files/viewer_report.h"
#include "app/viewer/viewer.h"
#include "app/viewer/window/egl_context.h"
#include "core/base/error.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/sanitized.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

namespace tl {

/// Skips its tests, with the reason, if EGL provides no OpenGL 4.5.
class OffscreenViewer : public testing::Test {
  protected:
    static constexpr Extent kPicture{64, 48};
    static constexpr float kTop = 21;  ///< of the picture, below the menu bar

    void SetUp() override {
        try {
            context_ = std::make_unique<EglContext>(window_for(kPicture, 1, true));
        } catch (const UserError& error) {
            GTEST_SKIP() << error.what();
        }
        test::keep_libraries();
        session_ = std::make_unique<Session>(find_device("cpu"));
        session_->set_scene(
            std::make_shared<Scene>(load_scene(source_path("scenes/cornell-box.toml"))));
    }
    void TearDown() override {
        viewer_.reset();
        context_.reset();
    }

    Viewer& start(const ViewerOptions& options = {}, const SessionOptions& session_options = {}) {
        viewer_.reset();  // ImGui allows one context at a time
        viewer_ = std::make_unique<Viewer>(*context_, *session_, preferences_, session_options,
                                           options, std::move(interface_));
        interface_ = viewer_interface();
        return *viewer_;
    }
    void steps(int count) {
        for (int i = 0; i < count; ++i) EXPECT_TRUE(viewer_->step());
    }
    /// Runs steps until `done` is true. The limit is minutes: a busy machine may be slow for no
    /// fault of the viewer.
    template <class Done>
    void step_until(Done done) {
        std::chrono::seconds most(test::kSanitized ? 300 : 120);
        auto end = std::chrono::steady_clock::now() + most;
        while (!done()) {
            ASSERT_LT(std::chrono::steady_clock::now(), end);
            viewer_->step();
        }
    }
    void press(Key key, Modifiers modifiers = {}) {
        context_->push(KeyEvent{key, key, true, false, modifiers});
        context_->push(KeyEvent{key, key, false, false, modifiers});
        if (modifiers.control)
            context_->push(KeyEvent{Key::left_control, Key::left_control, false, false, {}});
    }
    void drag(vec2 from, vec2 to, MouseButton button = MouseButton::left, Modifiers m = {}) {
        context_->push(CursorEvent{from});
        context_->push(ButtonEvent{button, true, m});
        context_->push(CursorEvent{to});
        context_->push(ButtonEvent{button, false, m});
        steps(4);
    }
    /// Contents of the window after some frames.
    Image8 window() {
        steps(4);
        auto path = folder_.path("window.png");
        save_window(*context_, path);
        return read_image8(path);
    }

    test::TempFolder folder_;
    std::unique_ptr<EglContext> context_;
    std::unique_ptr<Session> session_;
    Preferences preferences_;
    ViewerInterface interface_ = viewer_interface();  ///< interface of the next viewer
    std::unique_ptr<Viewer> viewer_;
};

}  // namespace tl
