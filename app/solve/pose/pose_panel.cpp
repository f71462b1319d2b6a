#include <imgui/imgui.h>

#include "app/jobs/format.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/solve/pose/picture_matches.h"
#include "app/solve/pose/pose_actions.h"
#include "app/solve/pose/pose_lines.h"
#include "app/solve/pose/pose_row.h"
#include "app/solve/pose/pose_widgets.h"
#include "app/solve/solver_widgets.h"
#include "app/viewer/viewer_model.h"
#include "core/base/setting_words.h"

namespace tl {
namespace {

void choose_view(const ViewerModel& model, const char* label, int& number) {
    next_width();
    bool open = ImGui::BeginCombo(label, name_of_view(model, number).c_str());
    if (!open) return tooltip("A bookmark, or the camera as it is");
    auto offer = [&](int choice) {
        ImGui::PushID(choice);
        if (ImGui::Selectable(name_of_view(model, choice).c_str(), choice == number))
            number = choice;
        ImGui::PopID();
    };
    offer(PoseView::kCurrentView);
    for (auto& bookmark : model.document.scene.bookmarks) offer(bookmark.number);
    ImGui::EndCombo();
}

void draw_first_view(ViewerModel& model) {
    if (model.document.scene.bookmarks.empty())
        wrapped_text(info_color(),
                     "The pose between two kept cameras: go to the first view and press Ctrl+1, to "
                     "the second one and press Ctrl+2.");
    choose_view(model, "First view", pose_of(model).first);
}

void draw_second_view(ViewerModel& model) {
    choose_view(model, "Second view", pose_of(model).second);
}

void choose_match_source(ViewerModel& model) {
    auto& task = pose_of(model).task;
    constexpr const char* kSources[] = {"surfaces of the scene", "features of pictures"};
    next_width(width_of_choice(kSources[0]));
    if (!ImGui::BeginCombo("Matches from", kSources[static_cast<int>(task.source)])) return;
    for (auto source : {MatchSource::scene, MatchSource::pictures}) {
        const char* reason = source == MatchSource::pictures ? no_features_reason() : "";
        if (ImGui::Selectable(kSources[static_cast<int>(source)], source == task.source,
                              *reason ? ImGuiSelectableFlags_Disabled : ImGuiSelectableFlags_None))
            task.source = source;
        if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
            show_tooltip(*reason ? reason
                         : source == MatchSource::scene
                             ? "surface points that both views see, known exactly; noise and "
                               "wrong matches are added"
                             : "ORB features that look alike in both pictures, as the chosen "
                               "renderer makes them");
    }
    ImGui::EndCombo();
}

void choose_pose_kind(ViewerModel& model) {
    auto& task = pose_of(model).task;
    next_width();
    if (!ImGui::BeginCombo("Pose", row_of(task.kind).id.c_str())) return;
    for (auto& row : pose_kinds()) {
        if (finds_matrix(row.kind)) continue;  // they have no second view to compare with
        if (ImGui::Selectable(row.id.c_str(), row.kind == task.kind)) task.kind = row.kind;
        tooltip(row.help);
    }
    ImGui::EndCombo();
}

void draw_pose_mode(ViewerModel& model) {
    auto& task = pose_of(model).task;
    choose_id("Mode", pose_solvers(), task.mode, find_device(task.device).kind());
}

void draw_pose_device(ViewerModel& model) {
    choose_device("Device", pose_of(model).task.device);
}

bool pose_on_gpu(const ViewerModel& model) {
    return find_device(pose_of(model).task.device).kind() == DeviceKind::cuda;
}

constexpr std::size_t kMatchSettings = 4, kRansacSettings = 6;

Settings matches_of(PoseTask& task) {
    return match_settings(task.matches);
}

/// Noise and outliers are those of matches that are made; features of pictures have their own.
bool matches_need(const PoseTask& task, std::size_t setting) {
    return setting == 0 || task.source != MatchSource::pictures;
}

Settings ransac_of(PoseTask& task) {
    return ransac_settings(task.ransac);
}

bool ransac_needs(const PoseTask&, std::size_t) {
    return true;
}

/// One widget for each setting.
template <Settings (*settings_of)(PoseTask&), bool (*needs)(const PoseTask&, std::size_t),
          std::size_t... i>
void add_settings(std::vector<PanelWidget>& widgets, std::index_sequence<i...>) {
    static const auto kLabels = [] {
        PoseTask task;
        std::vector<std::string> labels;
        for (auto& setting : settings_of(task)) labels.push_back(label_of(setting.declaration()));
        return labels;
    }();
    (widgets.push_back(
         {kLabels.at(i).c_str(),
          [](ViewerModel& m) { draw_task_setting(settings_of(pose_of(m).task).at(i)); },
          [](const ViewerModel& m) { return needs(pose_of(m).task, i); }}),
     ...);
}

void draw_pose_share(ViewerModel& model) {
    slide_gpu_share(pose_of(model).task.background);
}

void draw_pose_run(ViewerModel& model) {
    auto& view = pose_of(model);
    if (view.job.busy()) return draw_busy(view.job);
    if (run_button("Renders both views small, matches them and estimates the pose"))
        start_pose(model);
    draw_history_buttons(model, pose_of(model));
}

void draw_pose_errors(const PoseOutcome& o) {
    if (o.off.rotation >= 0)
        row("rotation", formatted("%.3g degrees off", o.off.rotation),
            "angle between the recovered and the true orientation");
    if (o.off.direction >= 0)
        row("translation", formatted("%.3g degrees off", o.off.direction),
            "angle between the recovered and the true direction of the baseline, whose length two "
            "views do not tell");
    if (o.off.position >= 0)
        row("eye", formatted("%.3g off", o.off.position),
            formatted("in the scene's units; the true one is %.4g from the first eye, the "
                      "surfaces %.4g (median)",
                      distance_between(o.first.center, o.second.center), o.depth));
    if (o.off.focal >= 0)
        row("focal length",
            formatted("%.6g pixels, %.3g %% off", o.estimate.pose.focal, 100 * o.off.focal));
}

void draw_pose_figures(const PoseOutcome& o) {
    auto& e = o.estimate;
    if (e.doubt != PoseDoubt::none)
        wrapped_text(warning_color(), std::string("Doubtful: ") + words_of(e.doubt) + ".");
    if (!begin_rows("pose")) return;
    draw_pose_errors(o);
    row("inliers", grouped(e.n_inliers) + " of " + grouped(o.n_matches),
        "matches that fit the pose within the threshold");
    row("right ones", grouped(o.n_right_found) + " of " + grouped(o.n_right),
        "matches that are right in truth, found among the inliers");
    row("error of inliers", formatted("%.3g pixels rms", e.rms));
    row("fits by chance", formatted("10^%.1f expected", e.log_chance),
        "poses that would fit as well if all matches were wrong; far below 1 for sound poses");
    row("samples", grouped(e.n_samples) + ", " + grouped(e.n_models) + " poses",
        "samples drawn, and the poses that they gave");
    row("time", formatted("%.3g ms", 1000 * e.seconds), "of the estimation alone");
    auto rates = rates_text(o.rates);
    if (!rates.empty()) row("frames", rates);
    end_rows();
}

void draw_legend_of_views(PoseView& view) {
    bool shown = view.cameras_shown;
    if (ImGui::Checkbox("Cameras in the scene:", &shown)) show_cameras(view, shown);
    for (auto [color, name] : {std::pair{kFirstViewColor, "first"},
                               {kTrueViewColor, "true"},
                               {kFoundViewColor, "recovered"}}) {
        ImGui::SameLine();
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(color | 0xff000000u), "%s", name);
    }
}

void draw_newest_pose(PoseView& view) {
    auto& outcome = view.history.back();
    if (!outcome.error.empty()) wrapped_text(error_color(), outcome.error);
    if (outcome.error.empty()) {
        draw_pose_figures(outcome);
        draw_legend_of_views(view);
    }
    draw_matches(view, outcome);
}

}  // namespace

std::vector<PanelWidget> pose_widgets() {
    std::vector<PanelWidget> widgets{{"First view", draw_first_view},
                                     {"Second view", draw_second_view},
                                     {"Matches from", choose_match_source}};
    add_settings<matches_of, matches_need>(widgets, std::make_index_sequence<kMatchSettings>());
    for (auto& widget : {PanelWidget{"Pose", choose_pose_kind},
                         {"Mode", draw_pose_mode},
                         {"Device", draw_pose_device}})
        widgets.push_back(widget);
    add_settings<ransac_of, ransac_needs>(widgets, std::make_index_sequence<kRansacSettings>());
    widgets.push_back({"Share of the GPU", draw_pose_share, pose_on_gpu});
    widgets.push_back({"Run", draw_pose_run});
    return widgets;
}

void draw_pose_panel(ViewerModel& model) {
    auto& view = pose_of(model);
    draw_purpose(
        "Estimates how the camera has moved between two views, from points that match. Few degrees "
        "off and many inliers are a good pose.");
    draw_widgets(model, pose_widgets());
    if (!view.history.empty()) draw_newest_pose(view);
    draw_pose_history(view.history);
}

}  // namespace tl
