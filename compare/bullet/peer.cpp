// Bullet behind the table of functions of peer.h. One thread: the multithreaded world of the Debian package is another solver.
#include "peer.h"

#include <BulletCollision/CollisionShapes/btConvexPointCloudShape.h>
#include <BulletCollision/CollisionShapes/btShapeHull.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <vector>

namespace {

struct World {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};
    std::vector<btRigidBody *> bodies;
};

btVector3 vector(const float *v) { return btVector3(v[0], v[1], v[2]); }
btQuaternion quaternion(const float *q) { return btQuaternion(q[0], q[1], q[2], q[3]); }
void write(float *out, const btVector3 &v) { out[0] = float(v.x()), out[1] = float(v.y()), out[2] = float(v.z()); }

void *world(const float gravity[3], size_t, int32_t threads) {
    if (threads != 1)
        return nullptr;
    World *w = new World;
    w->world.setGravity(vector(gravity));
    return w;
}

// Masses are given with the bodies; a density is not needed.
void *box(const float half[3], float) { return new btBoxShape(vector(half)); }
void *sphere(float radius, float) { return new btSphereShape(radius); }
void *capsule(float half, float radius, float) { return new btCapsuleShape(radius, 2.0f * half); }

void *hull(const float *points, size_t count, float) {
    btConvexHullShape *shape = new btConvexHullShape;
    for (size_t i = 0; i < count; ++i)
        shape->addPoint(vector(points + 3 * i), false);
    shape->recalcLocalAabb();
    shape->initializePolyhedralFeatures();
    return shape;
}

void *mesh(const float *vertices, size_t vertex_count, const uint32_t *triangles, size_t triangle_count) {
    btTriangleMesh *mesh = new btTriangleMesh;
    for (size_t i = 0; i < vertex_count; ++i)
        mesh->findOrAddVertex(vector(vertices + 3 * i), false);
    for (size_t i = 0; i < triangle_count; ++i)
        mesh->addTriangleIndices(int(triangles[3 * i]), int(triangles[3 * i + 1]), int(triangles[3 * i + 2]));
    return new btBvhTriangleMeshShape(mesh, true);
}

void *compound(void *const *shapes, const float *positions, const float *rotations, size_t count) {
    btCompoundShape *shape = new btCompoundShape;
    for (size_t i = 0; i < count; ++i)
        shape->addChildShape(btTransform(quaternion(rotations + 4 * i), vector(positions + 3 * i)),
                             static_cast<btCollisionShape *>(shapes[i]));
    return shape;
}

int32_t add(void *to, void *of, const PeerBody *body) {
    World *w = static_cast<World *>(to);
    btCollisionShape *shape = static_cast<btCollisionShape *>(of);
    btVector3 inertia(0, 0, 0);
    float mass = body->kind == 0 ? body->mass : 0.0f;
    if (mass > 0.0f)
        shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = btTransform(quaternion(body->rotation), vector(body->position));
    // Bullet multiplies the two numbers of a pair.
    info.m_friction = std::sqrt(body->friction);
    info.m_restitution = std::sqrt(body->restitution);
    btRigidBody *made = new btRigidBody(info);
    made->setLinearVelocity(vector(body->velocity));
    made->setAngularVelocity(vector(body->spin));
    made->setActivationState(DISABLE_DEACTIVATION);
    if (body->kind == 2)
        made->setCollisionFlags(made->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    if (body->fast) {
        made->setCcdMotionThreshold(0.01f);
        made->setCcdSweptSphereRadius(0.02f);
    }
    if (body->ghost)
        w->world.addRigidBody(made, 0, 0);
    else
        w->world.addRigidBody(made);
    w->bodies.push_back(made);
    return 0;
}

void join(void *to, int64_t first, int64_t second, const float point[3]) {
    World *w = static_cast<World *>(to);
    btRigidBody *b = w->bodies[size_t(second)];
    btVector3 in_b = b->getWorldTransform().inverse() * vector(point);
    if (first < 0) {
        w->world.addConstraint(new btPoint2PointConstraint(*b, in_b), true);
        return;
    }
    btRigidBody *a = w->bodies[size_t(first)];
    btVector3 in_a = a->getWorldTransform().inverse() * vector(point);
    w->world.addConstraint(new btPoint2PointConstraint(*a, *b, in_a, in_b), true);
}

void start(void *) {}

void step(void *of, float seconds) {
    World *w = static_cast<World *>(of);
    // What is kinematic is moved by whoever made it.
    for (btRigidBody *body : w->bodies) {
        if (!body->isKinematicObject())
            continue;
        btTransform next;
        btTransformUtil::integrateTransform(body->getWorldTransform(), body->getLinearVelocity(),
                                            body->getAngularVelocity(), seconds, next);
        body->setWorldTransform(next);
    }
    w->world.stepSimulation(seconds, 0);
}

void read(void *of, size_t number, PeerMotion *motion) {
    const btRigidBody *body = static_cast<World *>(of)->bodies[number];
    btQuaternion q = body->getOrientation();
    write(motion->position, body->getCenterOfMassPosition());
    motion->rotation[0] = float(q.x()), motion->rotation[1] = float(q.y());
    motion->rotation[2] = float(q.z()), motion->rotation[3] = float(q.w());
    write(motion->velocity, body->getLinearVelocity());
    write(motion->spin, body->getAngularVelocity());
}

float cast(void *of, const float origin[3], const float way[3]) {
    btVector3 from = vector(origin), to = from + vector(way);
    btCollisionWorld::ClosestRayResultCallback hit(from, to);
    static_cast<World *>(of)->world.rayTest(from, to, hit);
    return hit.hasHit() ? float(hit.m_closestHitFraction) : -1.0f;
}

int64_t dropped(void *) { return 0; }

} // namespace

extern "C" Peer peer() {
    return Peer{world, box, sphere, capsule, hull, mesh, compound, add, join, start, step, read, cast, dropped};
}
