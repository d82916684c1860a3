// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.RawTaggedField;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Kafka's generated classes, reached by the names in the definitions, so that no API needs code of its own. */
final class Reflect {
    private static final Map<String, Method> SETTERS = new HashMap<>();

    private Reflect() {
    }

    static Class<?> dataClass(String message) {
        return find("org.apache.kafka.common.message." + message + "Data");
    }

    static Class<?> find(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    static Object create(Class<?> type) {
        try {
            return type.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The setter of a field; its only parameter tells how the class holds the value. */
    static Method setter(Class<?> type, String field) {
        // A few names in the definitions begin with a small letter, but no setter's does.
        String wanted = "set" + Character.toUpperCase(field.charAt(0)) + field.substring(1);
        return SETTERS.computeIfAbsent(type.getName() + "." + wanted, key -> {
            for (Method method : type.getMethods()) {
                if (method.getName().equals(wanted) && method.getParameterCount() == 1) {
                    return method;
                }
            }
            throw new IllegalStateException("no setter for " + key);
        });
    }

    static Object get(Object object, String field) {
        try {
            return object.getClass().getMethod(lowerFirst(field)).invoke(object);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static Object call(Method method, Object object, Object... arguments) {
        try {
            return method.invoke(object, arguments);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<RawTaggedField> unknownTags(Object message) {
        return ((Message) message).unknownTaggedFields();
    }

    /** Kafka's JSON and its getters begin with a small letter. */
    static String lowerFirst(String name) {
        return Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }
}
