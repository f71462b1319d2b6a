#include "app/viewer/files/gl_report.h"

#include <nlohmann/json.hpp>

#include "app/viewer/gl/pixel_path.h"
#include "app/viewer/window/egl_context.h"
#include "app/viewer/window/gl_probe.h"

namespace tl {
namespace {

std::string report_interop() {
    if (!cuda_absence().empty()) return cuda_absence();
    try {
        EglContext context({64, 64});
        return make_cuda_path(find_device("cuda"), {64, 64})
                   ? "yes"
                   : "this program was built without CUDA";
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace

nlohmann::ordered_json report_gl() {
    try {
        auto names = probe_gl();
        return {{"renderer", names.renderer},
                {"version", names.version},
                {"interop", report_interop()}};
    } catch (const std::exception& error) {
        return {{"renderer", message_of(error)},
                {"version", ""},
                {"interop", "there is no OpenGL to share with"}};
    }
}

}  // namespace tl
