#include "app/viewer/session_gate.h"

#include <algorithm>
#include <utility>

namespace tl {

void SessionGate::edit(Edit edit) {
    bool apart = edit.prepare && prepares_apart;
    // An edit may consist of others, which belong to it; one that takes long comes right after it.
    if (!apart && (running_ || (open() && waiting_.empty()))) return run(edit);
    if (closed_ && title_.empty()) cancel_work(edit.ends);
    auto same = std::ranges::find_if(
        waiting_, [&](const Edit& e) { return !e.name.empty() && e.name == edit.name; });
    if (same != waiting_.end())
        *same = std::move(edit);
    else if (running_)
        waiting_.insert(waiting_.begin() + n_next_++, std::move(edit));
    else
        waiting_.push_back(std::move(edit));
}

void SessionGate::take_back(std::string_view name) {
    auto named = [&](const Edit& e) { return e.name == name; };
    auto n_next = std::min(n_next_, std::ssize(waiting_));
    n_next_ = n_next - std::count_if(waiting_.begin(), waiting_.begin() + n_next, named);
    std::erase_if(waiting_, named);
}

void SessionGate::run(const Edit& edit) {
    if (edit.prepare) edit.prepare();
    apply(edit);
}

void SessionGate::apply(const Edit& edit) {
    bool outer = std::exchange(running_, true);
    if (!outer) n_next_ = 0;
    edit.apply();
    running_ = outer;
    ++n_edits_;
    edited_ = edited_ || edit.ends != Cancellation::nothing;
    auto next = std::exchange(follow_, std::nullopt);
    if (!next) return;
    if (next->prepare && prepares_apart && !outer)
        waiting_.push_front(std::move(*next));
    else
        run(*next);
}

bool SessionGate::must_run() const {
    return std::ranges::any_of(waiting_, &Edit::must_run);
}

bool SessionGate::waits_for(std::string_view name) const {
    return std::ranges::any_of(waiting_, [&](const Edit& e) { return e.name.starts_with(name); });
}

void SessionGate::cancel_work(Cancellation how_much) {
    if (how_much > asked_.load()) asked_ = how_much;
}

void SessionGate::reopen_after(const Edit& prepared) {
    closed_ = false;
    if (std::exchange(cancelled_, false) && prepared.cancelled)
        prepared.cancelled();
    else
        apply(prepared);
    reopen();
}

void SessionGate::reopen() {
    asked_ = Cancellation::nothing;
    title_.clear();
    share_.reset();
    closed_ = false;
    while (!waiting_.empty() && !has_preparation()) {
        auto edit = std::move(waiting_.front());
        waiting_.pop_front();
        run(edit);
    }
}

bool SessionGate::has_preparation() const {
    return open() && !waiting_.empty() && waiting_.front().prepare != nullptr;
}

SessionGate::Edit SessionGate::take_preparation() {
    auto edit = std::move(waiting_.front());
    waiting_.pop_front();
    title_ = edit.title;
    share_ = edit.share;
    began_ = std::chrono::steady_clock::now();
    cancels_ = edit.cancelled != nullptr;
    cancelled_ = false;
    return edit;
}

double SessionGate::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

}  // namespace tl
