// The tabs of the side panel.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tl {

enum class PanelTab { scene, render, trees, film, solvers, compare };

struct PanelTabName {
    const char* id;     ///< for flags and files
    const char* title;  ///< as shown
};
/// In the order of PanelTab.
inline constexpr std::array<PanelTabName, 6> kPanelTabs{{{"scene", "Scene"},
                                                         {"render", "Render"},
                                                         {"trees", "Trees"},
                                                         {"film", "Film"},
                                                         {"solvers", "Solvers"},
                                                         {"compare", "A/B"}}};

[[nodiscard]] inline std::string_view id_of(PanelTab tab) {
    return kPanelTabs[static_cast<std::size_t>(tab)].id;
}
/// Tab with the given id, if there is one.
[[nodiscard]] inline std::optional<PanelTab> find_tab(std::string_view id) {
    for (std::size_t i = 0; i < kPanelTabs.size(); ++i)
        if (id == kPanelTabs[i].id) return static_cast<PanelTab>(i);
    return std::nullopt;
}

}  // namespace tl
