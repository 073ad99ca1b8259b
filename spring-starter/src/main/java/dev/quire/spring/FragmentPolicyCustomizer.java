package dev.quire.spring;

import org.springframework.web.method.HandlerMethod;

/**
 * Changes the policy of annotated handlers, once, when it is read: for settings that apply to many
 * handlers. Beans of this type are called in their order.
 */
@FunctionalInterface
public interface FragmentPolicyCustomizer {

    /**
     * Returns the policy of {@code handler}.
     *
     * @param policy from the annotation or the previous customizer
     */
    FragmentPolicy customize(HandlerMethod handler, FragmentPolicy policy);
}
