#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/examples.h"
#include "app/viewer/viewer_model.h"

namespace tl {

void draw_examples_panel(ViewerModel& model) {
    auto entries = example_entries(model);
    if (entries.empty()) return wrapped_text(warning_color(), kNoExamples);
    std::function<void(ViewerModel&)> chosen;
    for (auto& entry : entries) {
        if (draw_menu_entry(entry)) chosen = entry.action;
        tooltip(entry.help);
    }
    if (chosen) chosen(model);
}

}  // namespace tl
