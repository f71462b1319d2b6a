#include "app/jobs/bench_progress.h"

#include "app/jobs/format.h"

namespace tl {

BenchProgress::BenchProgress(std::size_t n_rows, const char* unit)
    : line_(unit, static_cast<int>(n_rows)) {
    if (line_.on_terminal())
        phases_ = {.on_read = [this](double share) { show("reading", share); },
                   .on_work = [this](const char* what, double share) { show(what, share); }};
}

void BenchProgress::begin(const std::string& row) {
    row_ = row;
    line_.show(n_done_, {row_});
}

void BenchProgress::end() {
    ++n_done_;
    line_.hide();
}

void BenchProgress::show(const char* what, double share) {
    auto of = row_.empty() ? "" : row_ + ": ";
    line_.show(n_done_, {formatted("%s%s %.0f %%", of.c_str(), what, 100 * share)});
}

}  // namespace tl
