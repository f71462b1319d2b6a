// How fast frames follow each other, over the last second.
#pragma once

#include <cstddef>
#include <deque>

namespace tl {

class FrameRate {
  public:
    static constexpr double kWindow = 1;  ///< seconds

    /// Seconds from the start of the frame before to the start of this one.
    void add_frame(double seconds);
    /// Mean over the window, or over what there has been of it; 0 before the first frame.
    [[nodiscard]] double per_second() const;
    /// A whole window has been seen, and its halves differ by less than a twentieth: caches, pools
    /// and libraries have what they need.
    [[nodiscard]] bool settled() const;

  private:
    std::deque<double> frames_;  ///< of the window, and the one that reaches beyond it
    double sum_ = 0;
};

}  // namespace tl
