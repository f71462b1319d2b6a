// The frame rate over the last second.
#pragma once

#include <cstddef>
#include <deque>

namespace tl {

class FrameRate {
  public:
    static constexpr double kWindow = 1;  ///< seconds

    /// `seconds`: from the start of the previous frame to the start of this one.
    void add_frame(double seconds);
    /// Mean over the window, or over its elapsed part; 0 before the first frame.
    [[nodiscard]] double per_second() const;
    /// True once a whole window has passed and the rates of its halves differ by less than 5 %:
    /// caches, memory pools and libraries are then warmed up.
    [[nodiscard]] bool settled() const;

  private:
    std::deque<double> frames_;  ///< frames in the window, and the one that overlaps its start
    double sum_ = 0;
};

}  // namespace tl
