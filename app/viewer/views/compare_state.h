// State of the comparison of two sides. No GL, no ImGui.
#pragma once

#include <memory>

#include "app/viewer/views/compare_figures.h"
#include "app/viewer/views/compared_picture.h"
#include "app/viewer/views/comparison.h"

namespace tl {

/// Two settings for one picture.
struct CompareView {
    std::unique_ptr<Comparison> second;  ///< null if there is no comparison
    SideChoices choices;                 ///< of the last comparison
    CompareMode mode = CompareMode::split;
    float split = 0.5f;            ///< fraction of the width that shows side A
    std::size_t second_bytes = 0;  ///< device memory of side B's scene
    float gain = 16;               ///< factor on the displayed difference
    CompareFigures figures;

    /// FLIP of the current pictures of `first` and the second session, perhaps with fewer samples;
    /// null if there is none.
    [[nodiscard]] const FilmFlip* flip_of(const Session& first) const {
        auto& flip = figures.flip();
        if (!second || !flip) return nullptr;
        bool current = flip->stamp.same_pictures(stamp_of(first, second->session()));
        return current ? &*flip : nullptr;
    }
    /// Figures of the current pictures of `first` and the second session; none while they are
    /// measured.
    [[nodiscard]] ShownFigures figures_of(const Session& first) const {
        if (!second) return {};
        return figures.shown(stamp_of(first, second->session()),
                             shown_mode(first) == CompareMode::flip);
    }
    /// Mode that can be shown: the split while FLIP is still being computed.
    [[nodiscard]] CompareMode shown_mode(const Session& first) const {
        return mode == CompareMode::flip && !flip_of(first) ? CompareMode::split : mode;
    }
};

}  // namespace tl
