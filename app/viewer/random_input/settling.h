// Brings a viewer back to a fixed state after random input, so that its memory can be compared: the
// first scene with the initial settings and tab, in a window of the same size, idle.
#pragma once

#include "app/viewer/viewer.h"

namespace tl {

class Settling {
  public:
    /// `viewer`: in the state to return to, except that `scene` may still be loading.
    Settling(Viewer& viewer, std::string scene);

    /// Advances the settling between two steps of the viewer. Returns true once the state is
    /// reached and free memory has been returned. The next call starts from scratch.
    bool advance();

  private:
    enum class Stage { begin, open, wait, rest };

    void begin();
    [[nodiscard]] bool quiet() const;

    Viewer& viewer_;
    std::string scene_;
    Extent window_;
    SessionSettings::Choices choices_;
    Preferences preferences_;
    PanelTab tab_;
    Stage stage_ = Stage::begin;
};

}  // namespace tl
