package dev.quire.spring;

import org.springframework.web.method.HandlerMethod;

/**
 * Changes the policy that annotations give a handler, once, when it is read: for what holds for
 * many handlers and is no business of each. Beans of it are asked in their order.
 */
@FunctionalInterface
public interface FragmentPolicyCustomizer {

    /**
     * The policy {@code handler} is to have.
     *
     * @param policy as annotated, or as the customizer before has left it
     */
    FragmentPolicy customize(HandlerMethod handler, FragmentPolicy policy);
}
