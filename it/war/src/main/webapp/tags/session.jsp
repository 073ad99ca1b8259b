<%@ page contentType="text/html; charset=UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="esi" uri="https://quire.dev/esi" %>
<% session.setAttribute("seen", true); %><esi:control ttl="30s"/><esi:include src="/fragment/own"/>