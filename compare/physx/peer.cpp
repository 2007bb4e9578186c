// PhysX behind the table of functions of peer.h.
#include <PxPhysicsAPI.h>

#include "peer.h"

#include <map>
#include <utility>
#include <vector>

using namespace physx;

namespace {

PxDefaultAllocator allocator;
PxDefaultErrorCallback errors;
PxFoundation *foundation = nullptr;
PxPhysics *physics = nullptr;

// What a shape is made of: geometries with their places.
struct Form {
    std::vector<std::pair<PxGeometryHolder, PxTransform>> parts;
};

struct World {
    PxScene *scene = nullptr;
    std::vector<PxRigidActor *> bodies;
    std::vector<PxRigidDynamic *> kinematic;
    std::map<std::pair<float, float>, PxMaterial *> materials;
};

PxVec3 vector(const float *v) { return PxVec3(v[0], v[1], v[2]); }
PxQuat quaternion(const float *q) { return PxQuat(q[0], q[1], q[2], q[3]); }
void write(float *out, const PxVec3 &v) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

void begin() {
    if (foundation != nullptr)
        return;
    foundation = PxCreateFoundation(PX_PHYSICS_VERSION, allocator, errors);
    physics = PxCreatePhysics(PX_PHYSICS_VERSION, *foundation, PxTolerancesScale());
    PxInitExtensions(*physics, nullptr);
}

// The first word says whether a body meets nothing, the second whether it must not pass through thin things.
PxFilterFlags filter(PxFilterObjectAttributes, PxFilterData a, PxFilterObjectAttributes, PxFilterData b,
                     PxPairFlags &flags, const void *, PxU32) {
    if (a.word0 != 0 || b.word0 != 0)
        return PxFilterFlag::eKILL;
    flags = PxPairFlag::eCONTACT_DEFAULT;
    if (a.word1 != 0 || b.word1 != 0)
        flags |= PxPairFlag::eDETECT_CCD_CONTACT;
    return PxFilterFlag::eDEFAULT;
}

void *world(const float gravity[3], size_t, int32_t threads) {
    begin();
    PxSceneDesc description(physics->getTolerancesScale());
    description.gravity = vector(gravity);
    // With none the calling thread does all the work.
    description.cpuDispatcher = PxDefaultCpuDispatcherCreate(threads == 1 ? 0 : PxU32(threads));
    description.filterShader = filter;
    description.flags |= PxSceneFlag::eENABLE_CCD;
    World *w = new World;
    w->scene = physics->createScene(description);
    return w->scene == nullptr ? nullptr : w;
}

Form *form(const PxGeometry &geometry, const PxTransform &place = PxTransform(PxIdentity)) {
    Form *made = new Form;
    made->parts.emplace_back(PxGeometryHolder(geometry), place);
    return made;
}

void *box(const float half[3], float) { return form(PxBoxGeometry(vector(half))); }
void *sphere(float radius, float) { return form(PxSphereGeometry(radius)); }

void *capsule(float half, float radius, float) {
    // Capsules lie along x.
    return form(PxCapsuleGeometry(radius, half), PxTransform(PxQuat(PxHalfPi, PxVec3(0, 0, 1))));
}

void *hull(const float *points, size_t count, float) {
    begin();
    PxConvexMeshDesc description;
    description.points.count = PxU32(count);
    description.points.stride = 3 * sizeof(float);
    description.points.data = points;
    description.flags = PxConvexFlag::eCOMPUTE_CONVEX;
    PxCookingParams parameters(physics->getTolerancesScale());
    PxConvexMesh *mesh = PxCreateConvexMesh(parameters, description, physics->getPhysicsInsertionCallback());
    return mesh == nullptr ? nullptr : form(PxConvexMeshGeometry(mesh));
}

void *mesh(const float *vertices, size_t vertex_count, const uint32_t *triangles, size_t triangle_count) {
    begin();
    PxTriangleMeshDesc description;
    description.points.count = PxU32(vertex_count);
    description.points.stride = 3 * sizeof(float);
    description.points.data = vertices;
    description.triangles.count = PxU32(triangle_count);
    description.triangles.stride = 3 * sizeof(uint32_t);
    description.triangles.data = triangles;
    PxCookingParams parameters(physics->getTolerancesScale());
    PxTriangleMesh *mesh = PxCreateTriangleMesh(parameters, description, physics->getPhysicsInsertionCallback());
    return mesh == nullptr ? nullptr : form(PxTriangleMeshGeometry(mesh));
}

void *compound(void *const *shapes, const float *positions, const float *rotations, size_t count) {
    Form *made = new Form;
    for (size_t i = 0; i < count; ++i) {
        PxTransform place(vector(positions + 3 * i), quaternion(rotations + 4 * i));
        for (const auto &[geometry, within] : static_cast<Form *>(shapes[i])->parts)
            made->parts.emplace_back(geometry, place * within);
    }
    return made;
}

int32_t add(void *to, void *of, const PeerBody *body) {
    World *w = static_cast<World *>(to);
    PxTransform place(vector(body->position), quaternion(body->rotation));
    PxRigidDynamic *moving = body->kind == 1 ? nullptr : physics->createRigidDynamic(place);
    PxRigidActor *made = moving;
    if (made == nullptr)
        made = physics->createRigidStatic(place);
    PxMaterial *&material = w->materials[{body->friction, body->restitution}];
    if (material == nullptr)
        material = physics->createMaterial(body->friction, body->friction, body->restitution);
    for (const auto &[geometry, within] : static_cast<Form *>(of)->parts) {
        PxShape *shape = PxRigidActorExt::createExclusiveShape(*made, geometry.any(), *material);
        if (shape == nullptr)
            return 1;
        shape->setLocalPose(within);
        shape->setSimulationFilterData(PxFilterData(PxU32(body->ghost), PxU32(body->fast), 0, 0));
    }
    if (moving != nullptr && body->kind == 2) {
        moving->setRigidBodyFlag(PxRigidBodyFlag::eKINEMATIC, true);
        w->kinematic.push_back(moving);
    } else if (moving != nullptr) {
        PxRigidBodyExt::setMassAndUpdateInertia(*moving, body->mass);
        moving->setLinearDamping(0.0f);
        moving->setAngularDamping(0.0f);
        moving->setSleepThreshold(0.0f);
        moving->setLinearVelocity(vector(body->velocity));
        moving->setAngularVelocity(vector(body->spin));
        moving->setRigidBodyFlag(PxRigidBodyFlag::eENABLE_CCD, body->fast != 0);
        moving->setRigidBodyFlag(PxRigidBodyFlag::eENABLE_GYROSCOPIC_FORCES, true);
    }
    // The velocity of what is kinematic is kept here: it has none of its own.
    if (moving != nullptr && body->kind == 2)
        moving->userData = new PeerBody(*body);
    w->scene->addActor(*made);
    w->bodies.push_back(made);
    return 0;
}

void join(void *to, int64_t first, int64_t second, const float point[3]) {
    World *w = static_cast<World *>(to);
    auto end = [&](int64_t number) {
        PxRigidActor *actor = number < 0 ? nullptr : w->bodies[size_t(number)];
        PxTransform at(vector(point));
        return std::pair(actor, actor == nullptr ? at : actor->getGlobalPose().transformInv(at));
    };
    auto [a, in_a] = end(first);
    auto [b, in_b] = end(second);
    PxSphericalJointCreate(*physics, a, in_a, b, in_b);
}

void start(void *) {}

void step(void *of, float seconds) {
    World *w = static_cast<World *>(of);
    for (PxRigidDynamic *body : w->kinematic) {
        const PeerBody *told = static_cast<const PeerBody *>(body->userData);
        PxTransform pose = body->getGlobalPose();
        PxVec3 turn = vector(told->spin) * seconds;
        float angle = turn.magnitude();
        pose.p += vector(told->velocity) * seconds;
        if (angle > 0.0f)
            pose.q = (PxQuat(angle, turn / angle) * pose.q).getNormalized();
        body->setKinematicTarget(pose);
    }
    w->scene->simulate(seconds);
    w->scene->fetchResults(true);
}

void read(void *of, size_t number, PeerMotion *motion) {
    PxRigidActor *body = static_cast<World *>(of)->bodies[number];
    PxTransform pose = body->getGlobalPose();
    write(motion->position, pose.p);
    motion->rotation[0] = pose.q.x, motion->rotation[1] = pose.q.y;
    motion->rotation[2] = pose.q.z, motion->rotation[3] = pose.q.w;
    const PxRigidDynamic *moving = body->is<PxRigidDynamic>();
    write(motion->velocity, moving == nullptr ? PxVec3(0) : moving->getLinearVelocity());
    write(motion->spin, moving == nullptr ? PxVec3(0) : moving->getAngularVelocity());
}

float cast(void *of, const float origin[3], const float way[3]) {
    PxVec3 direction = vector(way);
    float length = direction.normalize();
    PxRaycastBuffer hit;
    bool any = static_cast<World *>(of)->scene->raycast(vector(origin), direction, length, hit);
    return any && hit.hasBlock ? hit.block.distance / length : -1.0f;
}

int64_t dropped(void *) { return 0; }

} // namespace

extern "C" Peer peer() {
    return Peer{world, box, sphere, capsule, hull, mesh, compound, add, join, start, step, read, cast, dropped};
}
