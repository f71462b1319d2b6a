#include "app/viewer/actions/part_commands.h"

#include <iterator>
#include <utility>

#include "app/viewer/actions/add_actions.h"
#include "app/viewer/actions/part_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"
#include "renderer/scene/shapes.h"

namespace tl {
namespace {

constexpr Modifiers kAltAlone{.alt = true};
constexpr const char* kNothingSelected = "nothing is selected; click on an object";

bool part_selected(const ViewerModel& m) {
    return selected_part(m).has_value();
}

/// Runs an action on the selected part.
template <void (*action)(ViewerModel&, const ItemId&)>
void on_selected(ViewerModel& m) {
    if (auto id = selected_part(m)) action(m, *id);
}

void toggle_shown(ViewerModel& m) {
    auto id = selected_part(m);
    if (id) show_part(m, *id, !m.document.scene.edited.shows(*id));
}

bool can_be_hidden(const ViewerModel& m) {
    auto id = selected_part(m);
    return id && id->kind != ItemKind::material;
}

template <std::size_t i>
void add_shape_row(ViewerModel& m) {
    add_shape(m, shapes()[i].id);
}

ViewerCommand shape_command(std::size_t i, void (*action)(ViewerModel&)) {
    return {shapes()[i].title,
            "Add it at the camera's target, with a material of its own.",
            {},
            action};
}

}  // namespace

std::vector<ViewerCommand> part_commands() {
    return {
        below_line(only_if(part_selected, kNothingSelected,
                           {"Duplicate",
                            "Copy the selected object, light or material.",
                            {{Key::d, kAltAlone}},
                            on_selected<duplicate_part>})),
        only_if(
            part_selected, kNothingSelected,
            {"Rename", "Rename the selected part.", {{Key::f2, {}}}, on_selected<start_renaming>}),
        only_if(can_be_hidden, "no object or light is selected; click on one",
                {"Hide or show",
                 "Hide what is selected, or show it again.",
                 {{Key::h, kAltAlone}},
                 toggle_shown}),
        only_if(part_selected, kNothingSelected,
                {"Delete",
                 "Delete the selected object, light or unused material.",
                 {{Key::del, {}}},
                 on_selected<delete_part>}),
    };
}

std::vector<ViewerCommand> add_commands() {
    std::vector<ViewerCommand> commands{
        {"Model from file...",
         "Choose a file to add at the camera's target, as large as a tenth of its distance.",
         {},
         ask_for_model}};
    auto append = [&](std::vector<ViewerCommand> more) {
        commands.insert(commands.end(), std::make_move_iterator(more.begin()),
                        std::make_move_iterator(more.end()));
    };
    append(within_submenu(
        "Shape", {shape_command(0, add_shape_row<0>),
                  {"Sphere",
                   "Add an exact sphere at the camera's target, with a material of its own.",
                   {},
                   [](ViewerModel& m) { add_shape(m, "sphere"); }},
                  shape_command(1, add_shape_row<1>),
                  shape_command(2, add_shape_row<2>),
                  shape_command(3, add_shape_row<3>),
                  shape_command(4, add_shape_row<4>)}));
    append(within_submenu(
        "Light",
        {{"Point",
          "Add a light that shines from a point, at the camera's target.",
          {},
          [](ViewerModel& m) { add_light(m, LightKind::point); }},
         {"Sun",
          "Add parallel light from far away.",
          {},
          [](ViewerModel& m) { add_light(m, LightKind::directional); }},
         {"Spot",
          "Add a cone of light at the camera's target, which points down.",
          {},
          [](ViewerModel& m) { add_light(m, LightKind::spot); }},
         {"Rectangle",
          "Add a rectangle at the camera's target that emits light downwards.",
          {},
          [](ViewerModel& m) { add_light(m, LightKind::rectangle); }},
         {"Sphere light", "Add an emissive sphere at the camera's target.", {}, [](ViewerModel& m) {
              add_light(m, LightKind::sphere);
          }}}));
    append(within_submenu(
        "Environment", {{"Even sky", "Replace the environment by uniform light blue.", {}, add_sky},
                        {"Picture...",
                         "Choose a panorama (.hdr, .exr) whose light comes from all around.",
                         {},
                         ask_for_environment}}));
    return commands;
}

}  // namespace tl
