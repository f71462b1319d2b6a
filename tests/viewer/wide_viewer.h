// Test fixture: a viewer whose window has room for all parts of the interface.
#pragma once

#include <string>

#include "tests/viewer/offscreen_viewer.h"

namespace tl {

class WideViewer : public OffscreenViewer {
  protected:
    void tap(Key key, Modifiers modifiers = {}) {
        press(key, modifiers);
        steps(4);
    }
    void click(vec2 at) { drag(at, at); }
    void type(const std::string& text) {
        for (char c : text) context_->push(TextEvent{static_cast<char32_t>(c)});
        steps(4);
    }
    ViewerModel& start_wide(const ViewerOptions& options = {}) {
        context_->resize(window_for({500, 400}, 1, true));
        auto& model = start(options).model();
        steps(4);
        return model;
    }
    /// Clicks down a column of the window until `done`.
    template <class Done>
    bool click_down(float x, int from, int to, Done done) {
        for (int y = from; y < to && !done(); y += 9) click(vec2(x, static_cast<float>(y)));
        return done();
    }
};

}  // namespace tl
