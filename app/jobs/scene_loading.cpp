#include "app/jobs/scene_loading.h"

#include "core/base/read_progress.h"
#include "renderer/scene/framing.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {

void start_loading(SceneLoading& loading, const LoadedScene& wanted, const std::string& environment,
                   bool allow_outside) {
    auto load = [environment, allow_outside](JobRun& run, LoadedScene& loaded) {
        ReadLog log;
        run.enter("making the scene");
        auto tell = [&run](const char* phase, double share) {
            if (share == 0) run.enter(phase);
            if (share < 1) return run.report(share);
            run.enter("making the scene");
        };
        ReadProgress progress([&](double share) { tell("reading", share); }, tell);
        try {
            loaded.document = load_document(loaded.path, environment, allow_outside);
        } catch (...) {
            loaded.files = log.files();
            throw;
        }
        loaded.files = log.files();
        loaded.framed = framing_bounds(*loaded.document.scene());
        run.report(1);  // what was cancelled is not opened
    };
    loading.start(wanted.path, wanted, load);
}

}  // namespace tl
