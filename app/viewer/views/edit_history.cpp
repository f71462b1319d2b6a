#include "app/viewer/views/edit_history.h"

namespace tl {

void EditHistory::reset(EditState now) {
    start_ = std::move(now);
    steps_.clear();
    n_done_ = 0;
}

void EditHistory::record(const EditStep& step, EditState now) {
    if (now == this->now()) return;
    steps_.resize(n_done_);
    bool continues = n_done_ > 0 && step.gesture != 0 && steps_.back().step.name == step.name &&
                     steps_.back().step.gesture == step.gesture;
    bool returns = continues && now == after(n_done_ - 1);
    if (returns)
        steps_.pop_back();
    else if (continues)
        steps_.back().after = std::move(now);
    else
        steps_.push_back({step, std::move(now)});
    if (steps_.size() > kMostSteps) {
        start_ = std::move(steps_.front().after);
        steps_.pop_front();
    }
    n_done_ = steps_.size();
}

void EditHistory::hold(bool down) {
    held_ = down;
    n_gestures_ += down ? 1 : 0;
}

void EditHistory::type(bool typing) {
    n_gestures_ += typing && !typing_ ? 1 : 0;
    typing_ = typing;
}

const std::string* EditHistory::undo_name() const {
    return n_done_ == 0 ? nullptr : &steps_[n_done_ - 1].step.name;
}

const std::string* EditHistory::redo_name() const {
    return n_done_ == steps_.size() ? nullptr : &steps_[n_done_].step.name;
}

const EditState* EditHistory::undone() const {
    return n_done_ == 0 ? nullptr : &after(n_done_ - 1);
}

const EditState* EditHistory::redone() const {
    return n_done_ == steps_.size() ? nullptr : &after(n_done_ + 1);
}

const EditState* EditHistory::undo() {
    auto* state = undone();
    n_done_ -= state ? 1 : 0;
    return state;
}

const EditState* EditHistory::redo() {
    auto* state = redone();
    n_done_ += state ? 1 : 0;
    return state;
}

}  // namespace tl
