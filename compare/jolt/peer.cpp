// Jolt behind the table of functions of peer.h.
#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/GroupFilter.h>
#include <Jolt/Physics/Collision/RayCast.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/Shape/StaticCompoundShape.h>
#include <Jolt/Physics/Constraints/PointConstraint.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include "peer.h"

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace JPH;

namespace {

// Layers of objects and of the broad phase: what does not move, what does, and what meets nothing.
constexpr ObjectLayer FIXED = 0;
constexpr ObjectLayer MOVING = 1;
constexpr ObjectLayer GHOST = 2;

struct Layers final : BroadPhaseLayerInterface {
    uint GetNumBroadPhaseLayers() const override { return 3; }
    BroadPhaseLayer GetBroadPhaseLayer(ObjectLayer layer) const override { return BroadPhaseLayer(uint8(layer)); }
};

struct ByLayer final : ObjectVsBroadPhaseLayerFilter {
    bool ShouldCollide(ObjectLayer object, BroadPhaseLayer layer) const override {
        return object != GHOST && (object == MOVING || layer == BroadPhaseLayer(uint8(MOVING)));
    }
};

struct ByPair final : ObjectLayerPairFilter {
    bool ShouldCollide(ObjectLayer a, ObjectLayer b) const override { return a != GHOST && b != GHOST && (a == MOVING || b == MOVING); }
};

// What is joined does not collide.
struct Joined final : GroupFilter {
    JPH_DECLARE_SERIALIZABLE_VIRTUAL(JPH_NO_EXPORT, Joined)
public:
    std::vector<std::vector<uint32>> partners;
    bool CanCollide(const CollisionGroup &a, const CollisionGroup &b) const override {
        const std::vector<uint32> &list = partners[a.GetSubGroupID()];
        return std::find(list.begin(), list.end(), b.GetSubGroupID()) == list.end();
    }
};
JPH_IMPLEMENT_SERIALIZABLE_VIRTUAL(Joined) { JPH_ADD_BASE_CLASS(Joined, GroupFilter) }

struct World {
    Layers layers;
    ByLayer by_layer;
    ByPair by_pair;
    PhysicsSystem system;
    TempAllocatorImpl allocator{512u << 20};
    JobSystemThreadPool *jobs;
    std::vector<BodyID> ids;
    Ref<Joined> joined = new Joined;
    int64_t dropped = 0;

    Body *body(int64_t number) {
        return number < 0 ? &Body::sFixedToWorld : system.GetBodyLockInterfaceNoLock().TryGetBody(ids[size_t(number)]);
    }
};

Vec3 vector(const float *v) { return Vec3(v[0], v[1], v[2]); }
Quat quaternion(const float *q) { return Quat(q[0], q[1], q[2], q[3]); }
void write(float *out, Vec3Arg v) { out[0] = v.GetX(), out[1] = v.GetY(), out[2] = v.GetZ(); }

void *finish(const ShapeSettings &settings) {
    ShapeSettings::ShapeResult made = settings.Create();
    if (made.HasError()) {
        std::fprintf(stderr, "Jolt: %s\n", made.GetError().c_str());
        return nullptr;
    }
    Shape *shape = made.Get().GetPtr();
    shape->AddRef();
    return shape;
}

void *world(const float gravity[3], size_t bodies, int32_t threads) {
    RegisterDefaultAllocator();
    Factory::sInstance = new Factory();
    RegisterTypes();
    World *w = new World;
    w->jobs = new JobSystemThreadPool(cMaxPhysicsJobs, cMaxPhysicsBarriers, threads - 1);
    w->system.Init(uint(bodies) + 16, 0, 1 << 18, 1 << 17, w->layers, w->by_layer, w->by_pair);
    w->system.SetGravity(vector(gravity));
    return w;
}

void *box(const float half[3], float density) {
    // The default radius of edges must fit into thin plates.
    float radius = std::min(cDefaultConvexRadius, 0.9f * std::min({half[0], half[1], half[2]}));
    BoxShapeSettings settings(vector(half), radius);
    settings.SetEmbedded();
    settings.SetDensity(density);
    return finish(settings);
}

void *sphere(float radius, float density) {
    SphereShapeSettings settings(radius);
    settings.SetEmbedded();
    settings.SetDensity(density);
    return finish(settings);
}

void *capsule(float half, float radius, float density) {
    CapsuleShapeSettings settings(half, radius);
    settings.SetEmbedded();
    settings.SetDensity(density);
    return finish(settings);
}

void *hull(const float *points, size_t count, float density) {
    Array<Vec3> list;
    for (size_t i = 0; i < count; ++i)
        list.push_back(vector(points + 3 * i));
    ConvexHullShapeSettings settings(list);
    settings.SetEmbedded();
    settings.SetDensity(density);
    return finish(settings);
}

void *mesh(const float *vertices, size_t vertex_count, const uint32_t *triangles, size_t triangle_count) {
    VertexList points;
    for (size_t i = 0; i < vertex_count; ++i)
        points.push_back(Float3(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]));
    IndexedTriangleList faces;
    for (size_t i = 0; i < triangle_count; ++i)
        faces.push_back(IndexedTriangle(triangles[3 * i], triangles[3 * i + 1], triangles[3 * i + 2]));
    MeshShapeSettings settings(points, faces);
    settings.SetEmbedded();
    return finish(settings);
}

void *compound(void *const *shapes, const float *positions, const float *rotations, size_t count) {
    StaticCompoundShapeSettings settings;
    settings.SetEmbedded();
    for (size_t i = 0; i < count; ++i)
        settings.AddShape(vector(positions + 3 * i), quaternion(rotations + 4 * i), static_cast<Shape *>(shapes[i]));
    return finish(settings);
}

int32_t add(void *to, void *shape, const PeerBody *body) {
    World *w = static_cast<World *>(to);
    const EMotionType kinds[] = {EMotionType::Dynamic, EMotionType::Static, EMotionType::Kinematic};
    BodyCreationSettings settings(static_cast<Shape *>(shape), vector(body->position), quaternion(body->rotation),
                                  kinds[body->kind], body->ghost ? GHOST : body->kind == 1 ? FIXED : MOVING);
    settings.mLinearVelocity = vector(body->velocity);
    settings.mAngularVelocity = vector(body->spin);
    settings.mMotionQuality = body->fast ? EMotionQuality::LinearCast : EMotionQuality::Discrete;
    settings.mAllowSleeping = false;
    settings.mApplyGyroscopicForce = true;
    settings.mFriction = body->friction;
    settings.mRestitution = body->restitution;
    settings.mLinearDamping = settings.mAngularDamping = 0.0f;
    settings.mMaxLinearVelocity = 1000.0f;
    Body *made = w->system.GetBodyInterface().CreateBody(settings);
    if (made == nullptr)
        return 1;
    w->ids.push_back(made->GetID());
    return 0;
}

void join(void *to, int64_t first, int64_t second, const float point[3]) {
    World *w = static_cast<World *>(to);
    PointConstraintSettings settings;
    settings.mPoint1 = settings.mPoint2 = vector(point);
    settings.SetEmbedded();
    w->system.AddConstraint(settings.Create(*w->body(first), *w->body(second)));
    if (first < 0 || second < 0)
        return;
    w->joined->partners.resize(w->ids.size());
    for (auto [a, b] : {std::pair(first, second), std::pair(second, first)}) {
        w->joined->partners[size_t(a)].push_back(uint32(b));
        w->body(a)->SetCollisionGroup(CollisionGroup(w->joined, 0, CollisionGroup::SubGroupID(a)));
    }
}

void start(void *of) {
    World *w = static_cast<World *>(of);
    std::vector<BodyID> ids = w->ids; // Jolt shuffles them.
    BodyInterface &bodies = w->system.GetBodyInterface();
    BodyInterface::AddState state = bodies.AddBodiesPrepare(ids.data(), int(ids.size()));
    bodies.AddBodiesFinalize(ids.data(), int(ids.size()), state, EActivation::Activate);
    w->system.OptimizeBroadPhase();
}

void step(void *of, float seconds) {
    World *w = static_cast<World *>(of);
    if (w->system.Update(seconds, 1, &w->allocator, w->jobs) != EPhysicsUpdateError::None)
        ++w->dropped;
}

void read(void *of, size_t number, PeerMotion *motion) {
    const Body *body = static_cast<World *>(of)->body(int64_t(number));
    Quat q = body->GetRotation();
    write(motion->position, body->GetCenterOfMassPosition());
    q.GetXYZW().StoreFloat4(reinterpret_cast<Float4 *>(motion->rotation));
    write(motion->velocity, body->IsStatic() ? Vec3::sZero() : body->GetLinearVelocity());
    write(motion->spin, body->IsStatic() ? Vec3::sZero() : body->GetAngularVelocity());
}

float cast(void *of, const float origin[3], const float way[3]) {
    RRayCast ray(vector(origin), vector(way));
    RayCastResult hit;
    return static_cast<World *>(of)->system.GetNarrowPhaseQuery().CastRay(ray, hit) ? hit.mFraction : -1.0f;
}

int64_t dropped(void *of) { return static_cast<World *>(of)->dropped; }

} // namespace

extern "C" Peer peer() {
    return Peer{world, box, sphere, capsule, hull, mesh, compound, add, join, start, step, read, cast, dropped};
}
