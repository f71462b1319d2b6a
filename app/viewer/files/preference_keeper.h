// Writes the viewer's preferences while it is open, so that a crash loses none.
#pragma once

#include <chrono>
#include <string>

#include "app/viewer/files/preferences.h"

namespace tl {

struct ViewerModel;

/// The preferences file, if it may be used, and its contents.
struct Remembered {
    std::string path;  ///< "": nothing is stored
    Preferences preferences;
    bool panel = true;  ///< whether the file shows the panel, regardless of flags
};

/// Stores what the user changes; what flags and scene files set at the start is not stored.
class PreferenceKeeper {
  public:
    /// Both must outlive this. The model's values now count as unchanged.
    PreferenceKeeper(const Remembered& remembered, ViewerModel& model);
    /// Writes the file if anything has changed since it was written, at most once a second.
    void keep();
    /// Writes the file now. An error is printed, once.
    void write();

  private:
    using Clock = std::chrono::steady_clock;
    /// Returns the preferences that the file should hold.
    [[nodiscard]] Preferences values() const;
    void write(const Preferences& now);

    const Remembered& remembered_;
    ViewerModel& model_;
    Preferences before_;
    Preferences written_;
    Clock::time_point checked_ = Clock::now();
    bool has_failed_ = false;
};

}  // namespace tl
