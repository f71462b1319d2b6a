// Brings a viewer that has had random input back to one state, so that its memory can be compared:
// the first scene with the settings and the tab of the beginning, in a window of the same size, at
// rest.
#pragma once

#include "app/viewer/viewer.h"

namespace tl {

class Settling {
  public:
    /// `viewer` is in the state to come back to, except that `scene` may still be loading.
    Settling(Viewer& viewer, std::string scene);

    /// Goes on with it, between two steps of the viewer; true once the state is reached and memory
    /// that is free has been given back. The next call begins anew.
    bool advance();

  private:
    enum class Stage { begin, open, wait, rest };

    void begin();
    [[nodiscard]] bool quiet() const;

    Viewer& viewer_;
    std::string scene_;
    Extent window_;
    Session::Choices choices_;
    Preferences preferences_;
    PanelTab tab_;
    Stage stage_ = Stage::begin;
};

}  // namespace tl
