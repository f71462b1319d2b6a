#include "app/viewer/actions/patch_views.h"

#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr const char *kRenderer = "bezier", *kSetting = "uv-lines";

}  // namespace

void toggle_control_net(ViewerModel& model) {
    if (!model.view.net.shown && model.session.scene().patch_count() == 0)
        return model.status.messages.info("this scene has no patches");
    model.view.net.shown = !model.view.net.shown;
    model.view.net.stale = true;
}

std::string uv_lines(ViewerModel& model) {
    if (model.session.renderer_id() != kRenderer) return "0";
    auto settings = model.session.settings().renderer();
    return find_setting(settings, kSetting, kRenderer).text();
}

void toggle_uv_lines(ViewerModel& model) {
    model.gate.edit([&model] {
        std::string now = uv_lines(model);
        if (now != "0") {
            model.view.net.uv_lines = now;
            return change_setting(model, kRenderer, kSetting, "0");
        }
        if (model.session.renderer_id() != kRenderer) choose_renderer(model, kRenderer);
        change_setting(model, kRenderer, kSetting, model.view.net.uv_lines);
    });
}

}  // namespace tl
