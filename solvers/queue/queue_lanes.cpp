// The threads of a queue. One per lane runs its ready operations in the order of enqueue(). On a
// GPU, one detects what the streams have completed. One fails operations that exceed their timeout.
#include <algorithm>

#include "solvers/queue/queue_state.h"
#include "solvers/queue/sequence.h"

namespace tl {

void Queue::Implementation::run_lane(LaneKind kind) {
    auto& lane = lanes_[static_cast<int>(kind)];
    auto most = static_cast<std::size_t>(std::max(config_.most_in_flight, 1));
    Lock lock(mutex_);
    for (;;) {
        lane.woken.wait(lock, [&] {
            bool may_begin = n_pauses_ == 0 && lane.in_flight.size() < most;
            return stop_ || (may_begin && !lane.ready.empty());
        });
        // When the queue ends, all that was ready has been cancelled.
        if (stop_) return;
        auto group = take_group(lane);
        prepare(group, kind);
        lock.unlock();
        auto error = run(group, lane);
        lock.lock();
        finish(std::move(group), lane, error);
    }
}

/// The oldest operation that is ready and, if it is element-wise, those behind it that can join it.
OperationGroup Queue::Implementation::take_group(QueueLane& lane) {
    OperationGroup group;
    group.operations.push_back(lane.ready.begin()->second);
    group.is_chain = group.operations[0]->what.kind == OperationKind::element;
    if (group.is_chain) grow_group(group);
    for (auto& op : group.operations) {
        op->stage = OperationStage::started;
        lane.ready.erase(op->id);
    }
    ++counts_.launches;
    if (auto n = group.operations.size(); n > 1) {
        counts_.fused += n;
        counts_.unstored += n - group.chain.outputs.size();
    }
    return group;
}

void Queue::Implementation::grow_group(OperationGroup& group) {
    (void)fuse_nodes(nodes_of(group), group.chain);
    if (!config_.fuse) return;
    // In ascending order each operation comes after those that it depends on.
    std::map<std::uint64_t, OperationPointer> candidates;
    auto add_users = [&](const QueuedOperation& op) {
        for (auto& user : find(op.results[0])->users) candidates.emplace(user->id, user);
    };
    add_users(*group.operations[0]);
    FusedChain longer;
    while (!candidates.empty()) {
        auto op = candidates.extract(candidates.begin()).mapped();
        if (!can_join(group, *op)) continue;
        group.operations.push_back(op);
        if (!fuse_nodes(nodes_of(group), longer)) {
            group.operations.pop_back();
            return;
        }
        group.chain = longer;
        add_users(*op);
    }
}

/// Whether an operation needs only values that exist or that the group makes.
bool Queue::Implementation::can_join(const OperationGroup& group, const QueuedOperation& op) const {
    if (op.what.kind != OperationKind::element || op.stage >= OperationStage::started) return false;
    return std::ranges::all_of(op.what.inputs, [&](ValueId input) {
        auto& producer = find(input)->producer;
        return producer->stage >= OperationStage::issued ||
               std::ranges::find(group.operations, producer) != group.operations.end();
    });
}

/// Nodes of a group for fusion. Results that the program or another operation needs are stored.
std::vector<FusedNode> Queue::Implementation::nodes_of(const OperationGroup& group) const {
    std::vector<FusedNode> nodes;
    for (auto& op : group.operations) {
        auto& value = *find(op->results[0]);
        FusedNode node{op->what.element, {}, op->results[0], value.references > 0};
        std::ranges::copy(op->what.inputs, node.inputs.begin());
        for (auto& user : value.users)
            node.stored |= std::ranges::find(group.operations, user) == group.operations.end();
        nodes.push_back(node);
    }
    // The last result is stored, even if its last reference was released meanwhile.
    nodes.back().stored = true;
    return nodes;
}

/// Collects the data that the lane's thread needs once the mutex is free. Operands are kept until
/// the operation is retired.
void Queue::Implementation::prepare(OperationGroup& group, LaneKind kind) {
    auto& ids = group.is_chain ? group.chain.inputs : group.operations[0]->what.inputs;
    for (ValueId id : ids) {
        auto& value = *find(id);
        group.inputs.push_back(&value.matrix);
        auto& producer = *value.producer;
        if (!producer.ended && producer.done && producer.lane != kind)
            group.awaited.push_back(producer.done);
    }
    if (!group.is_chain) return;
    for (ValueId id : group.chain.outputs) group.made.emplace_back(id, AnyMatrix{});
}

/// Runs the operations without the mutex. If memory is insufficient, waits until operations in
/// flight have ended and tries again.
QueueError Queue::Implementation::run(OperationGroup& group, QueueLane& lane) {
    auto& op = *group.operations[0];
    for (;;) {
        std::size_t n_before = 0;
        try {
            run_on(*lane.stream, group);
            return {};
        } catch (const Cancelled&) {
            return error_of(op, QueueFailure::cancelled, "it was cancelled");
        } catch (const OutOfMemory& problem) {
            Lock lock(mutex_);
            auto n_in_flight = [&] {
                std::size_t n = 0;
                for (auto& other : lanes_) n += other.in_flight.size();
                return n;
            };
            n_before = n_in_flight();
            if (n_before == 0 || op.ended)
                return error_of(op, QueueFailure::no_memory, problem.what());
            changed_.wait(lock, [&] { return n_in_flight() < n_before || op.ended; });
        } catch (const std::bad_alloc& problem) {
            return error_of(op, QueueFailure::no_memory, message_of(problem));
        } catch (const std::exception& problem) {
            return error_of(op, QueueFailure::failed, problem.what());
        }
    }
}

void Queue::Implementation::run_on(Stream& stream, OperationGroup& group) {
    auto& op = *group.operations[0];
    for (auto& event : group.awaited) event->hold(stream);
    group.begin = device.create_event();
    group.end = device.create_event();
    group.begin->record(stream);
    if (group.is_chain) {
        std::vector<AnyMatrix*> outputs;
        for (auto& [id, matrix] : group.made) {
            matrix = make_any(stream, shape_of(*group.inputs[0]));
            outputs.push_back(&matrix);
        }
        run_chain(stream, group.chain, group.inputs, outputs);
    } else if (op.lane == LaneKind::upload) {
        auto matrix = make_any(stream, op.what.shape);
        device.upload(stream, data_of(matrix), op.what.host.get(), op.what.shape.bytes());
        group.made.emplace_back(op.results[0], std::move(matrix));
    } else if (op.lane == LaneKind::read) {
        auto bytes = shape_of(*group.inputs[0]).bytes();
        op.host = pool->take(bytes);
        device.download_later(stream, op.host.get(), data_of(*group.inputs[0]), bytes);
    } else {
        auto results = op.what.kind == OperationKind::sequence
                           ? op.what.sequence->run(stream, group.inputs, op.run)
                           : run_operation(stream, op.what, group.inputs, op.run);
        for (std::size_t r = 0; r < results.size(); ++r)
            group.made.emplace_back(op.results[r], std::move(results[r]));
    }
    group.end->record(stream);
}

/// Publishes the results, and makes operations that waited for them ready.
void Queue::Implementation::finish(OperationGroup&& group, QueueLane& lane,
                                   const QueueError& error) {
    if (error) return complete(group, error);
    for (auto& [id, matrix] : group.made) find(id)->matrix = std::move(matrix);
    for (auto& op : group.operations) {
        op->stage = OperationStage::issued;
        op->done = group.end;
    }
    for (auto& op : group.operations)
        for (ValueId result : op->results)
            for (auto& user : find(result)->users)
                if (user->stage == OperationStage::waiting && --user->n_unissued == 0)
                    make_ready(user);
    if (device.kind() == DeviceKind::cpu) return complete(group, {});
    lane.in_flight.push_back(std::move(group));
    in_flight_changed_.notify_one();
}

/// Ends and retires operations that the device has completed.
void Queue::Implementation::complete(OperationGroup& group, QueueError error) {
    log_spans(group, static_cast<bool>(error));
    for (auto& op : group.operations) {
        auto& counts = counts_;
        if (error) {
            end(op, error);
        } else {
            if (op->lane == LaneKind::upload) counts.bytes_up += op->what.shape.bytes();
            if (op->lane == LaneKind::read) counts.bytes_down += shape_of(*group.inputs[0]).bytes();
            succeed(op);
        }
    }
    for (auto& op : group.operations) retire(op);
}

/// Marks an operation as succeeded, and first those that it depended on, which another thread may
/// not have marked yet.
void Queue::Implementation::succeed(const OperationPointer& op) {
    if (op->ended) return;
    for (ValueId input : op->what.inputs)
        if (auto* value = find(input)) succeed(value->producer);
    end(op, {});
}

void Queue::Implementation::log_spans(const OperationGroup& group, bool failed) {
    if (failed || config_.timeline_length == 0) return;
    auto& op = *group.operations[0];
    TimelineSpan span;
    span.id = op.id;
    span.name = name_of(op.what);
    span.lane = op.lane;
    span.n_fused = static_cast<int>(group.operations.size());
    span.begin = group.begin->milliseconds_since(*origin_);
    span.end = group.end->milliseconds_since(*origin_);
    for (auto& each : group.operations) span.work += each->work;
    timeline_.push_back(span);
    if (timeline_.size() > config_.timeline_length) timeline_.pop_front();
}

/// Completes operations that the streams of a GPU have done. Polling costs less than waiting in the
/// driver, which keeps a processor busy.
void Queue::Implementation::watch_streams() {
    constexpr auto kPause = std::chrono::microseconds(40);
    Lock lock(mutex_);
    auto none_in_flight = [&] {
        return std::ranges::all_of(lanes_, [](auto& lane) { return lane.in_flight.empty(); });
    };
    for (;;) {
        in_flight_changed_.wait(lock, [&] { return stop_ || !none_in_flight(); });
        if (none_in_flight()) return;
        bool any = false;
        for (auto& lane : lanes_) {
            if (lane.in_flight.empty()) continue;
            QueueError error;
            try {
                if (!lane.in_flight[0].end->ready()) continue;
            } catch (const std::exception& problem) {
                auto& op = *lane.in_flight[0].operations[0];
                error = error_of(op, QueueFailure::failed, problem.what());
            }
            auto group = std::move(lane.in_flight.front());
            lane.in_flight.pop_front();
            complete(group, error);
            lane.woken.notify_one();
            any = true;
        }
        if (any) continue;
        lock.unlock();
        std::this_thread::sleep_for(kPause);
        lock.lock();
    }
}

void Queue::Implementation::watch_clock() {
    Lock lock(mutex_);
    while (!stop_) {
        if (deadlines_.empty()) {
            deadlines_changed_.wait(lock);
            continue;
        }
        auto first = deadlines_.begin();
        if (Clock::now() < first->first) {
            auto until = first->first;
            deadlines_changed_.wait_until(lock, until);
            continue;
        }
        if (auto op = first->second.lock(); op && !op->ended)
            end(op, error_of(*op, QueueFailure::timed_out, "it took too long"));
        deadlines_.erase(first);
    }
}

}  // namespace tl
