#include "app/viewer/actions/transport_view.h"

#include <algorithm>

#include "app/jobs/format.h"
#include "app/jobs/illumination_saving.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/paths.h"
#include "core/base/text.h"

namespace tl {
namespace {

constexpr const char* kNoTransport =
    "this renderer sends no light between points: choose radiosity (Ctrl+R)";

/// 0xaabbggrr of a colour from 0 to 1.
std::uint32_t packed(vec3 color, float opacity) {
    std::uint32_t bits = 0;
    for (int c = 0; c < 3; ++c)
        bits |= static_cast<std::uint32_t>(color[c] * 255 + 0.5f) << (8 * c);
    return bits | static_cast<std::uint32_t>(opacity * 255 + 0.5f) << 24;
}

void add_line(std::vector<OverlayVertex>& lines, vec3 from, vec3 to, std::uint32_t color) {
    lines.push_back({from, color});
    lines.push_back({to, color});
}

void add_box(std::vector<OverlayVertex>& lines, const PointGroup& group, std::uint32_t color) {
    const TreeBox box{group.lo, 0, group.hi};
    for (std::uint32_t edge = 0; edge < 12; ++edge) {
        vec3 from, to;
        box_edge(box, edge, from, to);
        add_line(lines, from, to, color);
    }
}

std::uint32_t color_of_fraction(float fraction) {
    constexpr float kOpacity = 0.45f;
    if (fraction >= 1) return packed({0.45f, 1, 0.55f}, kOpacity);
    return packed({1, 0.25f + 0.6f * fraction, 0.15f}, 1.6f * kOpacity);
}

}  // namespace

std::uint32_t color_of_level(int level) {
    constexpr vec3 kColors[] = {{0.75f, 0.55f, 1},   {0.35f, 0.6f, 1},    {0.3f, 0.9f, 1},
                                {0.3f, 0.95f, 0.5f}, {0.95f, 0.9f, 0.3f}, {1, 0.6f, 0.25f},
                                {1, 0.4f, 0.5f}};
    return packed(kColors[static_cast<std::size_t>(level) % std::size(kColors)], 0.85f);
}

std::vector<OverlayVertex> lines_of(const GroupLinks& links, std::size_t most) {
    std::vector<OverlayVertex> lines;
    std::size_t n = links.links.size(), n_drawn = std::min(n, most);
    lines.reserve(26 * n_drawn + 24);
    // Links in part come last, on top.
    for (bool partial : {false, true})
        for (std::size_t k = 0; k < n_drawn; ++k) {
            auto& link = links.links[k * n / n_drawn];
            if ((link.fraction < 1) != partial) continue;
            add_line(lines, links.group.centroid, link.from.centroid,
                     color_of_fraction(link.fraction));
            add_box(lines, link.from, color_of_level(link.level));
        }
    add_box(lines, links.group, packed(vec3(1), 1));
    return lines;
}

LinkTallies tally(const GroupLinks& links) {
    LinkTallies all;
    for (auto& link : links.links) {
        auto level = static_cast<std::size_t>(link.level);
        if (level >= all.of_level.size()) all.of_level.resize(level + 1);
        for (auto* of : {&all.of_kind[static_cast<std::size_t>(link.kind)], &all.of_level[level]}) {
            ++of->n_links;
            if (link.fraction >= 1) continue;
            ++of->n_partial;
            of->fractions += static_cast<double>(link.fraction);
        }
        all.n_above += link.above > 0 ? 1 : 0;
    }
    return all;
}

bool has_transport(const ViewerModel& model) {
    return model.session.renderer_id() == kTransportRenderer;
}

bool TransportView::poll(ViewerModel& model) {
    if (!model.gate.open() || !model.status.stopped_by.empty()) return false;
    pin_first(model);
    bool news = read_report(model.session);
    news = follow_pin(model) || news;
    return find_links(model) || news;
}

/// Moves the chosen point to a new pin. True if it does.
bool TransportView::follow_pin(ViewerModel& model) {
    auto& pinned = model.view.pixel.pinned;
    if (!shows_seen(model)) {
        chosen_for_ = pinned;
        return false;
    }
    if (pinned == chosen_for_ || model.session.samples() == 0) return false;
    chosen_for_ = pinned;
    if (pinned) show_seen_points(model);
    return pinned.has_value();
}

/// Pins the pixel of the flag as soon as there is a picture.
void TransportView::pin_first(ViewerModel& model) {
    auto& picture = model.view.layout.picture;
    auto& at = model.options.links_at;
    if (at.empty() || picture.width <= 0 || model.session.samples() == 0) return;
    model.view.pixel.pinned = vec2(static_cast<float>(picture.x + at[0]) + 0.5f,
                                   static_cast<float>(picture.y + at[1]) + 0.5f);
    links_shown = true;
    at.clear();
}

/// True if there is news.
bool TransportView::read_report(Session& session) {
    auto* source = session.inspection().transport();
    if (!source) {
        // Without a sample, what is known belongs to the picture that is about to be replaced.
        if (session.samples() > 0) forget();
        return false;
    }
    auto version = source->transport_version();
    if (report_of_light && version == reported_) return false;
    report_of_light = source->transport_report();
    reported_ = version;
    note_links(session);
    return true;
}

/// Adds the links of the report to `made`; they replace older ones of the same choice.
void TransportView::note_links(Session& session) {
    constexpr std::size_t kMost = 24;
    auto settings = session.settings().renderer();
    // Links of other settings than those of a row do not compare.
    std::string of_all;
    for (const char* id : {"expansions", "error", "visibility", "link-rays", "link-search",
                           "link-threads", "link-memory"})
        of_all += find_setting(settings, id, kTransportRenderer).text() + " ";
    if (scene_.lock() != session.shared_scene() || of_all != made_with_) made.clear();
    scene_ = session.shared_scene();
    made_with_ = of_all;
    auto& report = *report_of_light;
    if (report.levels.empty()) return;
    MadeLinks now{find_setting(settings, "mode", kTransportRenderer).text(),
                  report.n_points,
                  0,
                  report.n_rays,
                  report.link_ms,
                  report.octree};
    for (auto& level : report.levels) now.n_links += level.n_links();
    std::erase_if(made, [&](const MadeLinks& other) { return other.is_like(now); });
    if (made.size() == kMost) made.erase(made.begin());
    made.push_back(now);
}

void TransportView::forget() {
    report_of_light.reset();
    found.reset();
    asked_ = {};
    if (lines.ends.empty()) return;
    lines.ends.clear();
    ++lines.version;
}

bool TransportView::find_links(ViewerModel& model) {
    constexpr std::chrono::milliseconds kEvery{50};
    auto* source = model.session.inspection().transport();
    if (!links_shown) {
        bool news = found || !lines.ends.empty();
        found.reset();
        asked_ = {};
        if (!lines.ends.empty()) ++lines.version;
        lines.ends.clear();
        return news;
    }
    if (!source) return false;
    auto& pinned = model.view.pixel.pinned;
    if (pinned != held_for_) held_.reset();
    held_for_ = pinned;
    Asked now{source->transport_version(), above, with_above, {}, {}, pinned};
    if (!held_) {
        now.pixel = examined_pixel(model);
        now.camera = model.session.camera;
    }
    if (now == asked_) return false;
    auto time = std::chrono::steady_clock::now();
    if (model.options.frames == 0 && time - searched_at_ < kEvery) return false;
    links_shown = attempt(model.status.messages, "Cannot show the links",
                          [&] { search(model, *source, now); });
    searched_at_ = std::chrono::steady_clock::now();
    return true;
}

void TransportView::search(ViewerModel& model, TransportSource& source, const Asked& now) {
    ++n_searches_;
    asked_ = now;
    std::optional<Place> place = held_;
    if (!place && now.pixel) {
        auto at = probe_pixel(model.session, now.pixel->x, now.pixel->y);
        if (at.hit) place = {at.position, at.normal};
    }
    if (now.pinned && place && !held_) {
        held_ = place;
        asked_.pixel.reset();
        asked_.camera = {};
    }
    found.reset();
    if (place)
        found = source.links_at(model.session.scratch(), place->position, place->normal, above,
                                with_above);
    lines.ends = found ? lines_of(*found, kMostDrawn) : std::vector<OverlayVertex>{};
    ++lines.version;
}

bool MadeLinks::is_like(const MadeLinks& other) const {
    return mode == other.mode && n_points == other.n_points &&
           octree.builder == other.octree.builder && octree.leaf_size == other.octree.leaf_size &&
           octree.most_levels == other.octree.most_levels;
}

bool shows_seen(const ViewerModel& model) {
    if (!has_transport(model)) return false;
    auto settings = model.session.settings().renderer();
    auto text = [&](const char* id) {
        return find_setting(settings, id, kTransportRenderer).text();
    };
    return text("view") != "picture" && text("point-light").starts_with("seen");
}

void show_seen_points(ViewerModel& model) {
    auto show = [&model,
                 step = model.document.history.step("the point that others are seen from")] {
        if (!has_transport(model)) return;
        auto pixel = examined_pixel(model);
        ProbedPixel at;
        if (pixel) at = probe_pixel(model.session, pixel->x, pixel->y);
        if (!at.hit)
            return model.status.messages.info("there is no surface here: move the cursor to one");
        vec3 to_eye = model.session.camera.eye - at.position;
        vec3 normal = glm::dot(at.normal, to_eye) < 0 ? -at.normal : at.normal;
        constexpr float kInFront = 1e-4f;  // of the distance
        vec3 position = at.position + kInFront * at.distance * normal;
        bool was_shown = shows_seen(model);
        bool ok = attempt(model.status.messages, "Cannot show what a point sees", [&] {
            auto set = [&](const char* id, const std::string& value) {
                model.session.settings().set(kTransportRenderer, id, value);
            };
            if (!was_shown) {
                set("view", "cells");
                set("point-light", "seen");
            }
            set("seen-from-x", number_text(position.x));
            set("seen-from-y", number_text(position.y));
            set("seen-from-z", number_text(position.z));
        });
        if (!ok) return;
        record(model, step);
        restart(model);
    };
    model.gate.edit({.apply = show, .name = "point that others are seen from"});
}

namespace {

void save_illumination_as(ViewerModel& model, const std::string& path) {
    model.gate.edit(
        {.apply =
             [&model, path] {
                 bool ok = attempt(model.status.messages, "Cannot save the illumination", [&] {
                     auto saved = save_illumination(model.session, path);
                     model.status.messages.wrote(
                         "light at " + std::to_string(saved.n_points) + " points saved as",
                         absolute_path(path).string());
                 });
                 if (ok) model.preferences.remember_file(path);
             },
         .ends = Cancellation::nothing,
         .must_run = true});
}

}  // namespace

void ask_to_save_illumination(ViewerModel& model) {
    if (model.session.samples() == 0)
        return model.status.messages.info("there is no light at points yet");
    std::string name = model.session.scene().name + "-light.ply";
    std::ranges::replace(name, '/', '-');
    ask_for_file(model.view.browser,
                 {.title = "Save the light at points as",
                  .extensions = {".ply"},
                  .choose = save_illumination_as,
                  .saves = true,
                  .suggested_name = name},
                 model.preferences.last_folder);
}

void change_group_level(ViewerModel& model, int by) {
    auto& view = model.state<TransportView>();
    if (view.links_shown) view.above += by;
    view.links_shown = true;
    view.above = std::clamp(view.above, 0, view.found ? view.found->leaf_level : 0);
}

void next_choice(ViewerModel& model, const char* setting) {
    model.gate.edit([&model, setting] {
        if (!has_transport(model)) return;
        auto settings = model.session.settings().renderer();
        auto& choice = find_setting(settings, setting, kTransportRenderer);
        change_setting(model, kTransportRenderer, setting, next_of(choice->choices, choice.text()));
    });
}

std::vector<ViewerCommand> transport_commands() {
    constexpr Modifiers kNone{}, kShift{.shift = true};
    auto on = [](const ViewerModel& m) { return m.state<TransportView>().links_shown; };
    std::vector<ViewerCommand> all;
    add_menu(all, "Render",
             {only_if(has_transport, kNoTransport,
                      {"Light of single points",
                       "Show the picture, or the light of each point in its cell or on its disc.",
                       {{Key::o, kNone}},
                       [](ViewerModel& m) { next_choice(m, "view"); }}),
              only_if(has_transport, kNoTransport,
                      {"What a point sees",
                       "Show in purple the points that the one under the cursor sees.",
                       {{Key::j, {.control = true}}},
                       show_seen_points}),
              only_if(has_transport, kNoTransport,
                      {"Light or visibility of points",
                       "Show the light that leaves single points, that which arrives, or what a "
                       "chosen point sees.",
                       {{Key::o, kShift}},
                       [](ViewerModel& m) { next_choice(m, "point-light"); }}),
              toggle(only_if(has_transport, kNoTransport,
                             {"Links",
                              "Draw the links of the group of points under the cursor.",
                              {{Key::j, kNone}},
                              [](ViewerModel& m) {
                                  auto& view = m.state<TransportView>();
                                  view.links_shown = !view.links_shown;
                              }}),
                     on),
              only_if(has_transport, kNoTransport,
                      {"Pin the group",
                       "Keep the group of points under the cursor, or let it go.",
                       {{Key::j, kShift}},
                       [](ViewerModel& m) { pin_pixel(m.view.pixel, m.view.cursor); }}),
              only_if(has_transport, kNoTransport,
                      {"Group one level up",
                       "Show the links of the group that this one is part of.",
                       {{Key::u, kNone}},
                       [](ViewerModel& m) { change_group_level(m, 1); }}),
              only_if(has_transport, kNoTransport,
                      {"Group one level down",
                       "Show the links of the group below, down to the leaf.",
                       {{Key::u, kShift}},
                       [](ViewerModel& m) { change_group_level(m, -1); }})});
    add_menu(all, "File",
             {only_if(has_transport, kNoTransport,
                      {"Save illumination...",
                       "Write the light at all points as a cloud of points (PLY).",
                       {{Key::i, {.control = true}}},
                       ask_to_save_illumination})});
    return all;
}

}  // namespace tl
