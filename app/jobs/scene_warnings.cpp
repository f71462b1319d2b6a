#include "app/jobs/scene_warnings.h"

#include "core/base/console.h"
#include "renderer/unshown_content.h"

namespace tl {

void print_scene_warnings(Session& session) {
    print_warnings(session.scene().warnings.lines());
    auto unshown = unshown_warning(session.scene(), session.renderer_id());
    if (!unshown.empty()) print_warning(unshown);
}

}  // namespace tl
