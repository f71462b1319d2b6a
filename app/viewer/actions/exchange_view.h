// The view of light between points: how it converges, and the links of the group of points under
// the cursor. No GL, no ImGui.
#pragma once

#include <array>
#include <optional>

#include "app/viewer/viewer_model.h"
#include "renderer/exchange_source.h"

namespace tl {

/// The renderer that tells of light between points.
inline constexpr const char* kExchangeRenderer = "radiosity";

/// The lines of a group and of its links: its box is white, those of others have the colours of
/// their levels; a line to each is green where all of their points see each other, else from yellow
/// to red, the less do. Of more than `most` links, some all through the list are drawn.
[[nodiscard]] std::vector<OverlayVertex> lines_of(const GroupLinks& links, std::size_t most);
/// The colour of the boxes of a level, as displayed: 0xaabbggrr.
[[nodiscard]] std::uint32_t color_of_level(int level);

/// How many links there are of a kind or a level, and how many of them in part.
struct LinkTally {
    std::size_t n_links = 0, n_partial = 0;
    double fractions = 0;  ///< of the partial ones, added up
};
struct LinkTallies {
    std::array<LinkTally, kLinkKinds> of_kind{};
    std::vector<LinkTally> of_level;  ///< of the sender's; level 0 first
    std::size_t n_above = 0;          ///< links of groups above the one in question
};
[[nodiscard]] LinkTallies tally(const GroupLinks& links);

class ExchangeView final : public SectionState {
  public:
    static constexpr std::size_t kMostDrawn = 2000;

    bool links_shown = false;
    bool with_above = false;  ///< also the links of all groups that the group is in
    int above = 0;            ///< by how many levels the group is above the leaf
    std::optional<ExchangeReport> report_of_light{};  ///< none: the renderer has none
    std::optional<GroupLinks> found{};                ///< none: nothing is known of the place

    bool follow(ViewerModel& model) override;
    [[nodiscard]] std::uint64_t searches() const { return n_searches_; }

  private:
    /// What `found` belongs to.
    struct Asked {
        std::uint64_t version = 0;
        int above = 0;
        bool with_above = false;
        std::optional<glm::ivec2> pixel{};
        Camera camera{};
        std::optional<vec2> pinned{};
        bool operator==(const Asked&) const = default;
    };
    /// A place of a surface.
    struct Place {
        vec3 position, normal;
    };
    void pin_first(ViewerModel& model);
    bool read_report(Session& session);
    bool find_links(ViewerModel& model);
    void search(ViewerModel& model, ExchangeSource& source, const Asked& now);
    void forget();

    std::uint64_t reported_ = 0;  // version of the report
    Asked asked_;
    std::optional<vec2> held_for_;  // the pin that held_ belongs to
    std::optional<Place> held_;     // what was under it then, which the camera may turn about
    std::uint64_t n_searches_ = 0;
    std::chrono::steady_clock::time_point searched_at_{};
};

/// Whether the session's renderer sends light between points.
[[nodiscard]] bool has_exchange(const ViewerModel& model);
[[nodiscard]] std::vector<ViewerCommand> exchange_commands();
/// Shows the group that is so many levels further up.
void change_group_level(ViewerModel& model, int by);
/// Switches a setting of the renderer on to its next choice.
void next_choice(ViewerModel& model, const char* setting);

}  // namespace tl
