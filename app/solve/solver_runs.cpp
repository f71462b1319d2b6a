#include "app/solve/solver_runs.h"

#include "app/jobs/format.h"
#include "app/viewer/viewer_model.h"
#include "core/device/background.h"
#include "solvers/dense/blas_cpu.h"

namespace tl {

void give_way(const std::function<void()>& work) {
    yield_to_other_threads();
    keep_blas_to_its_thread();
    run_on_one_thread(work);
}

FramesBefore frames_before(const ViewerModel& model) {
    auto& log = model.status.statistics.log();
    return {model.accumulating() ? log.rate() : 0, log.state(), log.count()};
}

std::string csv_text(const std::string& text) {
    std::string out = "\"";
    for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

std::string csv_number(double value) {
    return value < 0 ? "" : formatted("%.6g", value);
}

std::string csv_rates(const JobFrameRates& rates) {
    auto measured = [&](double rate) { return rates.during > 0 && rate > 0 ? rate : -1; };
    return csv_number(measured(rates.before)) + "," + csv_number(measured(rates.during)) + "," +
           csv_number(measured(rates.after));
}

void add_rates(nlohmann::ordered_json& run, const JobFrameRates& rates) {
    if (!(rates.during > 0)) return;
    run["fps"] = {{"before", rates.before}, {"during", rates.during}};
    if (rates.after > 0) run["fps"]["after"] = rates.after;
}

std::string history_text(const char* kind, const nlohmann::ordered_json& runs) {
    nlohmann::ordered_json report = {{"schema", 1}, {"kind", kind}, {"runs", runs}};
    return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void copy_runs(ViewerModel& model, const std::string& text, std::size_t n_runs,
               const RunNames& names, const char* format) {
    if (n_runs == 0) {
        model.status.messages.info(std::string("no ") + names.run + " has run yet");
        return;
    }
    model.context.set_clipboard(text);
    model.status.messages.info("copied " + std::to_string(n_runs) + " " + names.runs + " as " +
                               format);
}

}  // namespace tl
