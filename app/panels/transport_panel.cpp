#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/transport_view.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/setting_words.h"

namespace tl {
namespace {

/// Buttons for the choices of a setting of the renderer, in a row.
void draw_choice(ViewerModel& model, const char* id) {
    auto settings = model.session.settings().renderer();
    auto& setting = find_setting(settings, id, kTransportRenderer);
    auto now = setting.text();
    for (std::size_t i = 0; i < setting->choices.size(); ++i) {
        auto& choice = setting->choices[i];
        if (i > 0) next_in_line(choice.c_str());
        if (ImGui::RadioButton(choice.c_str(), choice == now) && choice != now)
            change_setting(model, kTransportRenderer, id, choice);
    }
    tooltip(setting->help);
}

/// Slider of a setting of the renderer that is a whole number.
void draw_number(ViewerModel& model, const char* id) {
    auto settings = model.session.settings().renderer();
    auto& setting = find_setting(settings, id, kTransportRenderer);
    int now = static_cast<int>(setting.number()), chosen = now;
    next_width();
    ImGui::SliderInt(label_of(setting.declaration()).c_str(), &chosen,
                     static_cast<int>(setting->minimum), static_cast<int>(setting->maximum), "%d",
                     ImGuiSliderFlags_AlwaysClamp);
    if (chosen != now) change_setting(model, kTransportRenderer, id, std::to_string(chosen));
    tooltip(setting->help);
}

/// A row of the current table.
void draw_cells(const std::vector<std::string>& texts) {
    ImGui::TableNextRow();
    for (auto& text : texts) {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(text.c_str());
    }
}

/// "97.3 % saved".
std::string saved(std::uint64_t done, std::uint64_t all) {
    if (all == 0) return "";
    double share = 1 - static_cast<double>(done) / static_cast<double>(all);
    return formatted("%.4g %% saved", 100 * std::max(share, 0.0));
}

/// Bars of what bounces bring, on a logarithmic scale from the share that is too little to all
/// direct light.
void draw_graph(const TransportReport& report) {
    double least = std::log10(report.least_share);
    std::vector<float> heights;
    for (double bounce : report.bounces) {
        double share = report.direct > 0 ? bounce / report.direct : 0;
        double height = share > 0 ? 1 - std::log10(share) / least : 0;
        heights.push_back(static_cast<float>(std::clamp(height, 0.0, 1.0)));
    }
    ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight() * 4);
    ImGui::PlotHistogram("##bounces", heights.data(), static_cast<int>(heights.size()), 0, nullptr,
                         0, 1, size);
    tooltip(
        formatted("The light of each bounce as a fraction of direct light, on a logarithmic "
                  "scale from %.0e to 1",
                  report.least_share));
    draw_scale_top("1, all direct light");
    draw_axis("1", "bounce", std::to_string(heights.size()));
}

void draw_bounces(const TransportReport& report) {
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg;
    if (!ImGui::BeginTable("bounces", 4, kFlags)) return;
    for (auto* title : {"bounce", "light, W", "of direct", "of the last"})
        ImGui::TableSetupColumn(title);
    draw_column_names();
    double before = report.direct;
    auto row = [&](const char* name, double light, bool is_first) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(name);
        ImGui::TableNextColumn();
        ImGui::Text("%.4g", light);
        ImGui::TableNextColumn();
        ImGui::Text("%.3g %%", report.direct > 0 ? 100 * light / report.direct : 0);
        ImGui::TableNextColumn();
        if (!is_first && before > 0) ImGui::Text("%.3f", light / before);
        before = light;
    };
    row("direct", report.direct, true);
    for (std::size_t k = 0; k < report.bounces.size(); ++k)
        row(std::to_string(k + 1).c_str(), report.bounces[k], false);
    ImGui::EndTable();
}

void draw_report(ViewerModel& model, const TransportReport& report) {
    if (!report.bounces.empty()) draw_graph(report);
    draw_bounces(report);
    if (!begin_rows("exchange")) return;
    row("bounces", formatted("%zu of at most %zu", report.bounces.size(), report.most_bounces),
        formatted("they end with one that brings less than %.0e of all light", report.least_share));
    row("points", grouped(report.n_points));
    auto n_pairs = report.n_pairs();
    row("rays", grouped(report.n_rays) + ", " + saved(report.n_rays, n_pairs / 2),
        "that tell which points see each other, against one for each of " + grouped(n_pairs / 2) +
            " pairs of points");
    row("terms a bounce", grouped(report.n_terms) + ", " + saved(report.n_terms, n_pairs),
        "links of groups, and pairs of points of linked leaves, against " + grouped(n_pairs) +
            " pairs of points in both directions");
    row("links made", report.n_links_made == 1 ? "once" : grouped(report.n_links_made) + " times",
        "other lights and materials need no other links");
    if (report.error)
        row("error", formatted("%.3g %%", 100 * *report.error),
            "root mean square of the first bounce at the checked points, against the sum over all "
            "points with a ray to each");
    end_rows();
    if (report.error) return;
    if (ImGui::Button("Measure the error"))
        change_setting(model, kTransportRenderer, "check-points", "200");
    tooltip("Adds up the first bounce at 200 points over all points, with a ray to each");
}

/// The octree's settings and, for each of its levels, nodes and links.
void draw_octree(ViewerModel& model, const TransportReport& report, const TransportView& view) {
    draw_choice(model, "octree");
    draw_number(model, "octree-levels");
    draw_number(model, "leaf-size");
    auto& octree = report.octree;
    if (begin_rows("octree")) {
        row("height", std::to_string(octree.n_levels > 0 ? octree.n_levels - 1 : 0),
            "levels below the root; the first one divides the points by their normals");
        row("octree built in", formatted("%.3g ms", octree.build_ms),
            "with the choice of the size of its cells");
        if (!report.levels.empty())
            row("links made in", formatted("%.4g ms", report.link_ms), "visibility included");
        end_rows();
    }
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg;
    if (!report.levels.empty() && ImGui::BeginTable("levels", 5, kFlags)) {
        for (auto* title : {"level", "nodes", "groups", "leaves", "by bits"})
            ImGui::TableSetupColumn(title);
        draw_column_names();
        for (std::size_t level = 0; level < report.levels.size(); ++level) {
            auto& of = report.levels[level];
            draw_cells({std::to_string(level), grouped(of.n_nodes), grouped(of.n_groups),
                        grouped(of.n_points), grouped(of.n_bits)});
        }
        ImGui::EndTable();
        tooltip("Links by which the nodes of each level receive light");
    }
    if (view.made.size() < 2 || !ImGui::BeginTable("made", 6, kFlags)) return;
    for (auto* title : {"octree", "height", "leaf", "links", "rays", "ms"})
        ImGui::TableSetupColumn(title);
    draw_column_names();
    for (auto& made : view.made)
        draw_cells({made.mode + ", " + made.octree.builder,
                    std::to_string(std::max(made.octree.n_levels - 1, 0)),
                    std::to_string(made.octree.leaf_size), grouped(made.n_links),
                    grouped(made.n_rays), formatted("%.4g", made.link_ms)});
    ImGui::EndTable();
    tooltip("Links, visibility rays and time of the octrees that were chosen so far");
}

void draw_tally(const char* name, const LinkTally& tally, std::uint32_t color) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (color)
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(color), "%s", name);
    else
        ImGui::TextUnformatted(name);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(grouped(tally.n_links).c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(grouped(tally.n_links - tally.n_partial).c_str());
    ImGui::TableNextColumn();
    if (tally.n_partial > 0)
        ImGui::Text("%s, %.0f %%", grouped(tally.n_partial).c_str(),
                    100 * tally.fractions / static_cast<double>(tally.n_partial));
}

void draw_tallies(const GroupLinks& found) {
    auto all = tally(found);
    if (!ImGui::BeginTable("links", 4, ImGuiTableFlags_RowBg)) return;
    for (auto* title : {"from", "links", "whole", "in part"}) ImGui::TableSetupColumn(title);
    draw_column_names();
    constexpr const char* kKinds[kLinkKinds] = {"groups", "leaves", "by bits"};
    for (std::size_t kind = 0; kind < kLinkKinds; ++kind)
        if (all.of_kind[kind].n_links > 0) draw_tally(kKinds[kind], all.of_kind[kind], 0);
    for (std::size_t level = 0; level < all.of_level.size(); ++level)
        if (all.of_level[level].n_links > 0)
            draw_tally(formatted("level %zu", level).c_str(), all.of_level[level],
                       color_of_level(static_cast<int>(level)));
    ImGui::EndTable();
    tooltip(
        "Groups: as a whole, by expansions or as one point. Leaves: for all pairs of their "
        "points.\n"
        "By bits: for those pairs that see each other. In part: how many, and which share of "
        "their "
        "pairs of points see each other, on the mean. What is hidden has no link.");
}

/// Numbers of points that the chosen one sees. Clicks choose another one.
void draw_seen(ViewerModel& model, const TransportView& view) {
    model.view.pixel.wanted = true;
    draw_pin(model.view.pixel);
    if (!view.report_of_light || !view.report_of_light->seen) return;
    auto& report = *view.report_of_light;
    if (!begin_rows("seen")) return;
    row("seen", grouped(report.seen->whole) + " of " + grouped(report.n_points) + " points",
        "purple: points that the chosen one (cyan) sees; a click chooses another one");
    if (report.seen->in_part > 0)
        row("in part", grouped(report.seen->in_part),
            "paler: by links whose groups see each other in part");
    end_rows();
}

void draw_links(ViewerModel& model) {
    auto& view = model.state<TransportView>();
    ImGui::Checkbox("Links of the pointed group", &view.links_shown);
    if (!view.links_shown) return;
    model.view.pixel.wanted = true;  // clicks pin
    draw_pin(model.view.pixel);
    ImGui::Checkbox("Include groups above", &view.with_above);
    tooltip("Also the links of the groups that this one is part of: all by which light arrives");
    int leaf_level = view.found ? view.found->leaf_level : OctreeHeader::kLevels;
    next_width();
    ImGui::SliderInt("Levels above the leaf", &view.above, 0, std::max(leaf_level, 1), "%d",
                     ImGuiSliderFlags_AlwaysClamp);
    if (!view.found) {
        ImGui::TextWrapped("%s",
                           "There is no group here: move the cursor to a surface that "
                           "scatters light. The mode 'direct' has no groups.");
        return;
    }
    auto& found = *view.found;
    if (begin_rows("group")) {
        row("level", formatted("%d, %s", found.level, found.group.is_leaf ? "a leaf" : "inner"),
            formatted("0 is the root; its leaf is on level %d", found.leaf_level));
        row("points", grouped(found.group.n_points));
        auto n_drawn = std::min(found.links.size(), TransportView::kMostDrawn);
        auto n_links = grouped(found.links.size());
        row("links", n_drawn < found.links.size() ? grouped(n_drawn) + " of " + n_links + " drawn"
                                                  : n_links);
        end_rows();
    }
    if (!found.links.empty()) draw_tallies(found);
}

}  // namespace

std::vector<PanelWidget> exchange_widgets() {
    return {{"Links of the pointed group", draw_links}};
}

void draw_exchange_panel(ViewerModel& model) {
    draw_choice(model, "view");
    draw_choice(model, "point-light");
    auto& view = model.state<TransportView>();
    if (shows_seen(model)) draw_seen(model, view);
    draw_links(model);
    ImGui::Separator();
    if (!view.report_of_light) return;
    draw_report(model, *view.report_of_light);
    if (ImGui::TreeNode("Octree over the points")) {
        draw_octree(model, *view.report_of_light, view);
        ImGui::TreePop();
    }
}

}  // namespace tl
