#include "app/jobs/scene_loading.h"

#include "renderer/scene/framing.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {

void start_loading(SceneLoading& loading, const LoadedScene& wanted, const std::string& environment,
                   bool allow_outside) {
    auto load = [environment, allow_outside](JobRun& run, LoadedScene& loaded) {
        ReadLog log;
        run.enter("making the scene");
        auto report = [&run](const char* phase, double share) {
            if (share == 0) run.enter(phase);
            if (share < 1) return run.report(share);
            run.enter("making the scene");
        };
        const ReadObserver observer{
            {.on_read = [&](double share) { report("reading", share); }, .on_work = report}, &log};
        try {
            loaded.document = load_document(loaded.path, environment, allow_outside, observer);
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
