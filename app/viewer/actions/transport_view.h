// View of the light transport between points: its convergence, and the links of the group of points
// under the cursor. No GL, no ImGui.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/viewer_interface.h"
#include "renderer/scene/scene.h"
#include "renderer/transport_source.h"

namespace tl {

class Session;
struct ViewerModel;

/// Renderer that reports light transport between points.
inline constexpr const char* kTransportRenderer = "radiosity";

/// Lines of a group and its links. The group's box is white; the boxes of senders have the colours
/// of their levels. A line to each sender is green if fully visible, else from yellow to red as
/// visibility falls. If there are more than `most` links, draws a subset evenly spaced in the list.
[[nodiscard]] std::vector<OverlayVertex> lines_of(const GroupLinks& links, std::size_t most);
/// Displayed colour of the boxes of a level: 0xaabbggrr.
[[nodiscard]] std::uint32_t color_of_level(int level);

/// Numbers of links of a kind or a level, and of those that are partially visible.
struct LinkTally {
    std::size_t n_links = 0, n_partial = 0;
    double fractions = 0;  ///< sum of the visible fractions of partial links
};
struct LinkTallies {
    std::array<LinkTally, kLinkKinds> of_kind{};
    std::vector<LinkTally> of_level;  ///< by the level of the sender; level 0 first
    std::size_t n_above = 0;          ///< links of groups above the examined one
};
[[nodiscard]] LinkTallies tally(const GroupLinks& links);

/// Links that the renderer has made with one choice of points, mode and octree.
struct MadeLinks {
    std::string mode;
    std::uint64_t n_points = 0, n_links = 0, n_rays = 0;
    double link_ms = 0;
    OctreeReport octree{};

    /// Whether another one is of the same choice.
    [[nodiscard]] bool is_like(const MadeLinks& other) const;
};

class TransportView final : public SectionState {
  public:
    static constexpr std::size_t kMostDrawn = 2000;

    bool links_shown = false;
    bool with_above = false;  ///< also the links of all groups that contain the group
    int above = 0;            ///< levels between the group and its leaf
    std::optional<TransportReport> report_of_light{};  ///< none: the renderer has none
    std::optional<GroupLinks> found{};                 ///< none: nothing is known at the position
    std::vector<MadeLinks>
        made{};  ///< newest of each choice in this scene and with these settings, oldest first

    bool poll(ViewerModel& model) override;
    [[nodiscard]] std::uint64_t searches() const { return n_searches_; }

  private:
    /// Query that `found` answers.
    struct Asked {
        std::uint64_t version = 0;
        int above = 0;
        bool with_above = false;
        std::optional<glm::ivec2> pixel{};
        Camera camera{};
        std::optional<vec2> pinned{};
        bool operator==(const Asked&) const = default;
    };
    /// Surface position and normal.
    struct Place {
        vec3 position, normal;
    };
    void pin_first(ViewerModel& model);
    bool read_report(Session& session);
    void note_links(Session& session);
    bool follow_pin(ViewerModel& model);
    bool find_links(ViewerModel& model);
    void search(ViewerModel& model, TransportSource& source, const Asked& now);
    void forget();

    std::uint64_t reported_ = 0;        // version of the report
    std::weak_ptr<const Scene> scene_;  // that `made` belongs to
    std::string made_with_;             // settings that all rows of `made` share
    std::optional<vec2> chosen_for_;    // the pin that the chosen point belongs to
    Asked asked_;
    std::optional<vec2> held_for_;  // the pin that held_ belongs to
    // surface under the pin at that time; the camera may turn about it
    std::optional<Place> held_;
    std::uint64_t n_searches_ = 0;
    std::chrono::steady_clock::time_point searched_at_{};
};

/// Whether the session's renderer transports light between points.
[[nodiscard]] bool has_transport(const ViewerModel& model);
[[nodiscard]] std::vector<ViewerCommand> transport_commands();
/// Whether the renderer shows points by their visibility from a chosen one.
[[nodiscard]] bool shows_seen(const ViewerModel& model);
/// Chooses the point under the pin or the cursor, and shows the points that it sees, each on its
/// cell.
void show_seen_points(ViewerModel& model);
/// Asks for a name in the file browser, and writes the light at all points (save_illumination()).
void ask_to_save_illumination(ViewerModel& model);
/// Shows the group `by` levels further up.
void change_group_level(ViewerModel& model, int by);
/// Changes a setting of the renderer to its next choice.
void next_choice(ViewerModel& model, const char* setting);

}  // namespace tl
