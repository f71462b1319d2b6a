#include "core/device/stage_timer.h"

#include <algorithm>

#include "core/base/console.h"
#include "core/base/error.h"

namespace tl {

void StageTimer::begin_frame() {
    if (!enabled_) return;
    collect();
    if (!spare_.empty()) {
        current_ = std::move(spare_.back());
        spare_.pop_back();
    } else {
        current_ = {};
    }
    current_.n_stages = 0;
    begin_stage("frame", StageKind::frame);
}

void StageTimer::end_frame() {
    if (!enabled_) return;
    end_stage(0);
    pending_.push_back(std::move(current_));
    current_ = {};
    collect();
}

std::size_t StageTimer::begin_stage(const char* name, StageKind kind) {
    if (!enabled_) return kNotTimed;
    if (current_.n_stages == current_.stages.size()) {
        auto& device = stream_.device();
        current_.stages.push_back({name, kind, device.create_event(), device.create_event()});
    }
    auto& stage = current_.stages[current_.n_stages];
    stage.name = name;
    stage.kind = kind;
    stage.begin->record(*stages_on_);
    return current_.n_stages++;
}

void StageTimer::end_stage(std::size_t stage) {
    if (stage != kNotTimed) current_.stages[stage].end->record(*stages_on_);
}

void StageTimer::collect() {
    while (!pending_.empty()) {
        auto& record = pending_.front();
        if (!record.stages[0].end->ready()) return;
        latest_.clear();
        for (std::size_t i = 1; i <= record.n_stages; ++i) {
            auto& stage = record.stages[i % record.n_stages];  // stage 0, the frame, comes last
            float time = stage.end->milliseconds_since(*stage.begin);
            auto row = std::ranges::find(latest_, stage.name, &StageTime::name);
            if (row == latest_.end())
                latest_.push_back({stage.name, time, stage.kind});
            else
                row->milliseconds += time;
        }
        ++frames_;
        spare_.push_back(std::move(record));
        pending_.pop_front();
    }
}

void StageTimer::flush() {
    stream_.synchronize();
    collect();
}

StageTimer::Scope::Scope(StageTimer& timer, const char* name, StageKind kind)
    : timer_(timer), stage_(timer.begin_stage(name, kind)) {}

StageTimer::Scope::~Scope() {
    try {
        timer_.end_stage(stage_);
    } catch (const UserError& error) {
        print_error(error.what());
    }
}

}  // namespace tl
