#include <imgui/imgui.h>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/choice_list.h"
#include "app/panels/widgets/settings_widgets.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

void draw_comparison_box(ViewerModel& model) {
    state_box(model, "Compare with side B", model.view.compare.second != nullptr,
              "A second session over the same scene, with any other settings: it has the "
              "camera, size, time and exposure of this one, which is side A",
              toggle_comparison);
}

void draw_modes(ViewerModel& model) {
    auto& compare = model.view.compare;
    for (std::size_t i = 0; i < kCompareModes.size(); ++i) {
        auto mode = static_cast<CompareMode>(i);
        if (i > 0) next_in_line(kCompareModes[i].title);
        if (ImGui::RadioButton(kCompareModes[i].title, compare.mode == mode)) compare.mode = mode;
        tooltip(kCompareModes[i].help);
    }
    if (compare.mode == CompareMode::difference) {
        next_width();
        ImGui::SliderFloat("Gain", &compare.gain, 1, 1000, "%.0f",
                           ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic);
    }
}

void draw_figures(ViewerModel& model) {
    auto& compare = model.view.compare;
    auto shown = compare.figures_of(model.session);
    auto* figures = shown.figures;
    auto* flip = shown.flip;
    if (figures && !figures->fault.empty()) return wrapped_text(warning_color(), figures->fault);
    if (!begin_rows("figures")) return;
    constexpr const char* kMeasuring = "measuring";
    std::string read = figures ? "of " + samples_text(figures->stamp) : "no figures yet";
    auto figure = [&](const char* name, const std::string& value, const char* help) {
        row(name, figures ? value : kMeasuring, std::string(help) + "\n" + read);
    };
    figure("relative MSE", figures ? formatted("%.4g", figures->relative_mse) : "",
           "mean squared error relative to B's square: B is the reference");
    figure("PSNR", figures ? psnr_text(figures->psnr) : "",
           "peak signal-to-noise ratio of display colours");
    auto progress = compare.figures.progress(stamp_of(model.session, compare.second->session()));
    std::string working =
        progress ? formatted("%.0f %%", 100 * static_cast<double>(*progress)) : "";
    std::string value = flip ? formatted("%.4f", flip->mean) : kMeasuring;
    if (!working.empty()) value += flip ? "   (next: " + working + ")" : ", " + working;
    row("FLIP", value,
        "what a viewer sees who flips between A and B, 0 to 1; B is the reference\n" + read);
    row("reference", "B");
    row("samples",
        formatted("A %s, B %s", grouped(model.session.samples()).c_str(),
                  grouped(compare.second->session().samples()).c_str()),
        "samples a pixel of each side now; " + (figures ? "figures " + read : read));
    figure("pixels",
           figures ? grouped(figures->n_differing) +
                         formatted(" differ, by up to %.2g", static_cast<double>(figures->largest))
                   : "",
           "pixels that are not exactly equal, and their largest difference, W/(sr m^2)");
    end_rows();
    if (model.session.renderer().false_color() ||
        compare.second->session().renderer().false_color())
        wrapped_text(ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled),
                     "A side shows false colours: the figures are those of the colours.");
}

/// Lets the user choose side B's row of a table, or that it follows side A's, which is titled
/// `followed`. `own`: the id that side B has of its own, or "".
template <class Rows>
void draw_second_choice(ViewerModel& model, const char* label, const Rows& rows,
                        const std::string& current, const std::string& followed,
                        const std::string& own, void (*choose)(ViewerModel&, const std::string&),
                        void (*draw_last)() = nullptr) {
    auto device = model.view.compare.second->session().device().kind();
    auto chosen =
        choose_row(label, rows, current, device, {"as A: " + followed, own.empty()}, draw_last);
    if (!chosen.empty()) choose(model, chosen == FirstEntry::kId ? std::string() : chosen);
}

void draw_second_device(ViewerModel& model) {
    auto& compare = model.view.compare;
    struct Row {
        std::string id, title, help;
    };
    std::vector<Row> rows;
    for (auto* device : devices()) rows.push_back({device->id(), device->name(), device->name()});
    draw_second_choice(model, "Device", rows, compare.second->session().device().id(),
                       model.session.device().id(), compare.choices.device, choose_second_device,
                       draw_missing_device);
}

/// Title of a table's row.
template <class Rows>
std::string title_of(const Rows& rows, const std::string& id) {
    for (auto& row : rows)
        if (row.id == id) return row.title;
    return id;
}

bool has_second(const ViewerModel& model) {
    return model.view.compare.second != nullptr;
}

void draw_second_renderer(ViewerModel& model) {
    auto& compare = model.view.compare;
    draw_second_choice(model, "Renderer", renderers(), compare.second->session().renderer_id(),
                       title_of(renderers(), model.session.renderer_id()), compare.choices.renderer,
                       choose_second_renderer);
}

void draw_second_builder(ViewerModel& model) {
    auto& compare = model.view.compare;
    draw_second_choice(model, "Tree", tree_builders(), compare.second->session().builder_id(),
                       title_of(tree_builders(), model.session.builder_id()),
                       compare.choices.builder, choose_second_builder);
}

void draw_seed_box(ViewerModel& model) {
    bool own_seed = model.view.compare.choices.seed.has_value();
    state_box(model, "Different random numbers", own_seed, "Side B has a seed of its own",
              toggle_second_seed);
}

void draw_second_side(ViewerModel& model) {
    constexpr SettingsOwner kOwner{
        change_second_setting,
        [](const ViewerModel& m, const std::string& section, const std::string& id) {
            return m.view.compare.choices.find(section, id) != nullptr;
        },
        "Right click or Delete: as side A"};
    // A choice that ends the comparison leaves no settings to draw.
    auto draw = [&](SectionKind kind) {
        if (auto& second = model.view.compare.second)
            draw_settings(model, second->session().settings().section(kind), kOwner);
    };
    draw_second_device(model);
    if (has_second(model)) draw_second_renderer(model);
    draw(SectionKind::renderer);
    if (has_second(model)) draw_second_builder(model);
    draw(SectionKind::builder);
    draw(SectionKind::tree);
    draw(SectionKind::sampling);
    if (has_second(model)) draw_seed_box(model);
}

void draw_picture_button(ViewerModel& model) {
    if (ImGui::Button("Compare with a picture...")) ask_for_compared_picture(model);
    tooltip("Show a picture from a file (.png, .jpg, .exr, .hdr) as side B");
}

/// Draws what is known of a picture from a file, and buttons for another one or none.
void draw_picture_side(ViewerModel& model, const PictureFile& picture) {
    wrapped_text(ImGui::GetStyleColorVec4(ImGuiCol_Text), "Side B: " + picture.path);
    auto size = picture.radiance.extent;
    ImGui::TextDisabled("%dx%d pixels, %s", size.width, size.height,
                        picture.is_shown
                            ? formatted("displayed colours of %d bits", picture.bits()).c_str()
                            : "radiance");
    if (picture.is_shown)
        tooltip("Side A is compared as it is displayed: with its exposure and tone curve");
    if (ImGui::Button("Another picture...")) ask_for_compared_picture(model);
    next_in_line("Render side B");
    if (ImGui::Button("Render side B")) compare_with(model, {});
    tooltip("Compare with other settings instead of the picture");
}

void draw_second_buttons(ViewerModel& model) {
    if (ImGui::Button("All as A")) compare_with(model, {});
    tooltip("Forget what side B has of its own");
    next_in_line("Keep B as it is");
    if (ImGui::Button("Keep B as it is")) hold_second(model);
    tooltip("Side B no longer follows what is changed on side A");
}

}  // namespace

std::vector<PanelWidget> compare_widgets() {
    return {{"Compare with side B", draw_comparison_box},
            {"Compare with a picture from a file", draw_picture_button},
            {"View of both sides: split, difference, FLIP, gain", draw_modes, has_second},
            {"Device of side B", draw_second_device, has_second},
            {"Renderer of side B", draw_second_renderer, has_second},
            {"Tree builder of side B", draw_second_builder, has_second},
            {"Different random numbers", draw_seed_box, has_second},
            {"Side B as A, keep B as it is", draw_second_buttons, has_second}};
}

void draw_compare_panel(ViewerModel& model) {
    draw_comparison_box(model);
    if (!model.view.compare.second) return draw_picture_button(model);
    draw_modes(model);
    draw_figures(model);
    ImGui::Separator();
    if (auto* picture = model.view.compare.second->picture())
        return draw_picture_side(model, *picture);
    ImGui::TextUnformatted("Side B");
    ImGui::SameLine();
    ImGui::TextDisabled("scene and tree: %s", byte_text(model.view.compare.second_bytes).c_str());
    ImGui::PushID("second");
    draw_second_buttons(model);
    draw_second_side(model);
    ImGui::PopID();
}

}  // namespace tl
