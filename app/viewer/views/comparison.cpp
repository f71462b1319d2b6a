#include "app/viewer/views/comparison.h"

namespace tl {
namespace {

/// Copies differing settings from sections of `from` to those of `to` with the same id.
void copy_settings(Session& to, Session& from, std::initializer_list<SectionKind> kinds) {
    for (auto kind : kinds) {
        auto theirs = from.section(kind), mine = to.section(kind);
        if (mine.id != theirs.id) continue;
        for (auto& setting : theirs.settings)
            if (find_setting(mine.settings, setting.id, mine.id).text() != setting.text())
                to.set_setting(mine.id, setting.id, setting.text());
    }
}

}  // namespace

Comparison::Comparison(Session& first, const std::string& builder)
    : second_(first.device(), first.shared_stream()) {
    second_.set_builder(builder);
    follow(first);
    // Last, so that they also override the scene file's.
    copy_settings(second_, first, {SectionKind::builder, SectionKind::tree});
}

void Comparison::follow(Session& first) {
    second_.set_device(first.device(), first.shared_stream());
    if (second_.shared_scene() != first.shared_scene()) {
        // Keep the builder, whichever the scene file requests.
        std::string builder = second_.builder_id();
        second_.set_scene(first.shared_scene());
        if (second_.builder_id() != builder) second_.set_builder(builder);
    }
    if (second_.renderer_id() != first.renderer_id()) second_.set_renderer(first.renderer_id());
    copy_settings(second_, first,
                  {SectionKind::renderer, SectionKind::film, SectionKind::sampling});
    second_.resize(first.film().extent());
    second_.camera = first.camera;
    second_.seed = first.seed;
    second_.time = first.time;
    if (second_.false_color()) second_.false_color()->share_scale(first.false_color());
    if (second_.samples() != first.samples()) {
        first.restart();
        second_.restart();
        difference_.reset();
    }
}

void Comparison::measure_difference(Session& first) {
    difference_ = TL_DISPATCH(
        first.device(),
        difference_of_films(first.scratch(), first.film().view(), second_.film().view()));
}

}  // namespace tl
