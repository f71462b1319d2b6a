#include "app/viewer/actions/compare_actions.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/prepared_edit.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/files/picture_writer.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr const char* kSideB = "side B";
constexpr const char* kReference = "path";  // renderer
constexpr const char* kPreparingSideB = "preparing side B";

bool prepares_side(const ViewerModel& model) {
    return model.gate.title() == kPreparingSideB && model.gate.can_cancel();
}

}  // namespace

bool compares(const ViewerModel& model) {
    return model.view.compare.second || prepares_side(model) || model.gate.waits_for(kSideB);
}

void end_comparison(ViewerModel& model) {
    if (prepares_side(model)) model.gate.cancel();
    model.gate.take_back(kSideB);
    model.gate.edit({.apply =
                         [&model, step = model.document.history.step("comparison")] {
                             if (!model.view.compare.second) return;
                             model.view.compare.figures.clear();
                             model.view.compare.second.reset();
                             model.view.boxes.stale = true;
                             record(model, step);
                         },
                     .ends = Cancellation::view});
}

void toggle_comparison(ViewerModel& model) {
    if (compares(model)) return end_comparison(model);
    auto choices = model.view.compare.choices;
    if (!choices.empty()) return compare_with(model, choices);
    // The reference of all pictures, but of no use beside itself or beside false colours.
    bool is_reference = model.session.renderer_id() == kReference;
    if (is_reference || model.session.renderer().false_color()) return compare_trees(model);
    choices.renderer = kReference;
    compare_with(model, choices);
}

void compare_trees(ViewerModel& model) {
    SideChoices choices;
    choices.builder = next_builder(model.session);
    compare_with(model, choices);
}

namespace {

/// Whether a session of side B has to be made for these choices, which takes long.
bool needs_session(const ViewerModel& model, const SideChoices& choices) {
    auto& second = model.view.compare.second;
    if (!second || choices.picture != second->choices().picture) return true;
    return choices.picture.empty() &&
           &device_of(choices, model.session.device()) != &second->session().device();
}

void choose_side(ViewerModel& model, const SideChoices& choices, std::unique_ptr<Session> made,
                 const EditStep& step) {
    auto& compare = model.view.compare;
    bool ok = attempt(model.status.messages, "Cannot compare", [&] {
        if (!made && !compare.second) made = Comparison::prepare_side(model.session, choices);
        if (!made) return compare.second->choose(model.session, choices);
        auto second = std::make_unique<Comparison>(model.session, choices, std::move(made));
        compare.figures.clear();
        compare.second = std::move(second);
    });
    if (!ok) return;
    compare.choices = choices;
    compare.second->statistics.keep_all = !model.options.report.empty();
    model.view.boxes.stale = true;
    record(model, step);
}

}  // namespace

void compare_with(ViewerModel& model, const SideChoices& choices) {
    auto step = model.document.history.step(model.view.compare.second ? "side B" : "comparison");
    bool apart = false;
    bool ok = attempt(model.status.messages, "Cannot compare", [&] {
        check_choices(choices, model.session.device());
        apart = needs_session(model, choices);
    });
    if (!ok) return;
    // Null: the choices need no session of their own.
    auto prepare = [&model, choices](Session& first) {
        return needs_session(model, choices) ? Comparison::prepare_side(first, choices) : nullptr;
    };
    auto adopt = [&model, choices, step](auto& prepared) {
        std::unique_ptr<Session> made;
        bool ok =
            attempt(model.status.messages, "Cannot compare", [&] { made = prepared.first.take(); });
        if (ok) choose_side(model, choices, std::move(made), step);
    };
    auto edit = prepared_edit(model, EditedSides::first, prepare, adopt);
    if (apart) {
        edit.title = kPreparingSideB;
        edit.name = kSideB;
        edit.cancelled = [&model] { model.status.messages.info("side B was not prepared"); };
    } else {
        edit.prepare = nullptr;
    }
    model.gate.edit(std::move(edit));
}

void follow_comparison(ViewerModel& model) {
    auto& second = model.view.compare.second;
    if (second &&
        !attempt(model.status.messages, "Cannot compare", [&] { second->follow(model.session); }))
        end_comparison(model);
}

namespace {

/// Replaces the choices by a changed copy.
template <class Change>
void change_choices(ViewerModel& model, Change change) {
    if (!model.view.compare.second) return;
    auto choices = model.view.compare.second->choices();
    if (attempt(model.status.messages, "Cannot compare", [&] { change(choices); }))
        compare_with(model, choices);
}

}  // namespace

void choose_second_renderer(ViewerModel& model, const std::string& id) {
    change_choices(model, [&](SideChoices& choices) { choices.renderer = id; });
}

void choose_second_builder(ViewerModel& model, const std::string& id) {
    change_choices(model, [&](SideChoices& choices) { choices.builder = id; });
}

void choose_second_device(ViewerModel& model, const std::string& id) {
    change_choices(model, [&](SideChoices& choices) { choices.device = id; });
}

void change_second_setting(ViewerModel& model, const std::string& section, const std::string& id,
                           const std::string& value) {
    change_choices(model, [&](SideChoices& choices) { choices.set(section, id, value); });
}

void toggle_second_seed(ViewerModel& model) {
    change_choices(model, [&](SideChoices& choices) {
        choices.seed = choices.seed ? std::nullopt : std::optional(model.session.seed + 1);
    });
}

void hold_second(ViewerModel& model) {
    change_choices(model, [&](SideChoices& choices) {
        choices = all_choices(model.view.compare.second->session());
    });
}

void toggle_compare_mode(ViewerModel& model, CompareMode mode) {
    auto& compare = model.view.compare;
    bool shown = compare.second && compare.mode == mode;
    if (!compare.second) toggle_comparison(model);
    compare.mode = shown ? CompareMode::split : mode;
}

std::string second_path(const std::string& path) {
    std::filesystem::path file(path);
    file.replace_filename(file.stem().string() + "-b" + file.extension().string());
    return file.string();
}

void save_pictures(ViewerModel& model, const std::string& path) {
    write_picture(collect_picture(model, picture_format_of(path)), path);
}

}  // namespace tl
